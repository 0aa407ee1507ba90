package dev.mcpbus.config;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What of a server's definition may be shown. In doubt a text is hidden. */
final class Masking {

  static final String HIDDEN = "***";

  private static final String SECRET_WORD =
      "token|secret|passw|pwd|api[-_]?key|apikey|auth|bearer|credential|cookie|private[-_]?key"
          + "|access[-_]?key|signature|session";

  /** {@code --api-key}: the next argument is the secret. */
  private static final Pattern SECRET_FLAG =
      Pattern.compile(
          "-{1,2}[\\w.-]*(" + SECRET_WORD + ")[\\w.-]*|--?key", Pattern.CASE_INSENSITIVE);

  /** {@code --token=x}, {@code API_KEY=x}, {@code Authorization: x}. */
  private static final Pattern SECRET_PAIR =
      Pattern.compile(
          "(-{0,2}[\\w.-]*(?:" + SECRET_WORD + "|key)[\\w.-]*\\s*[=:]).*",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private static final Pattern SECRET_FORM =
      Pattern.compile(
          "(sk-|pk_|rk_|sk_|gh[opusr]_|github_pat_|glpat-|xox[abpsr]-|npm_|AKIA|AIza|ya29\\.|eyJ"
              + "|Bearer |Basic ).*",
          Pattern.DOTALL);

  /** Long, with digits and letters, no path: no word that a person would write. */
  private static final Pattern RANDOM =
      Pattern.compile("(?=.*\\d)(?=.*[A-Za-z])[A-Za-z0-9_+=-]{32,}");

  private static final Pattern URL =
      Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*://.*", Pattern.DOTALL);

  private Masking() {}

  static List<String> args(List<String> args) {
    List<String> out = new ArrayList<>(args.size());
    boolean hideNext = false;
    for (String arg : args) {
      boolean flag = SECRET_FLAG.matcher(arg).matches();
      out.add(hideNext && !flag ? HIDDEN : arg(arg));
      hideNext = flag;
    }
    return out;
  }

  private static String arg(String arg) {
    if (URL.matcher(arg).matches()) {
      return url(arg);
    }
    if (SECRET_FORM.matcher(arg).matches() || RANDOM.matcher(arg).matches()) {
      return HIDDEN;
    }
    Matcher pair = SECRET_PAIR.matcher(arg);
    if (pair.matches()) {
      return pair.group(1) + HIDDEN;
    }
    int equals = arg.indexOf('=');
    if (equals > 0) {
      String value = arg.substring(equals + 1);
      String masked = arg(value);
      return masked.equals(value) ? arg : arg.substring(0, equals + 1) + masked;
    }
    return arg;
  }

  /** Without user, password, query and fragment; of a Unix socket the fragment is the path. */
  static String url(String url) {
    if (url.regionMatches(true, 0, "unix:", 0, 5)) {
      return url.replaceFirst("(?s)\\?.*", "?" + HIDDEN);
    }
    String out = url.replaceFirst("^([A-Za-z][A-Za-z0-9+.-]*://)[^/?#]*@", "$1" + HIDDEN + "@");
    return out.replaceFirst("(?s)[?#].*", "?" + HIDDEN);
  }
}
