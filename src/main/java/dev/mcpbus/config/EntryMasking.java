package dev.mcpbus.config;

import static dev.mcpbus.protocol.Sensitive.MASK;

import dev.mcpbus.config.Substitution.Filled;
import dev.mcpbus.protocol.Sensitive;
import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Decides what of a server's definition may be shown. An argument is shown only if it is an
 * option's name, or a plain word, path, URL or package written literally in the file, and the
 * option before it does not take a secret. Stateless.
 */
final class EntryMasking {

  private static final Pattern SECRET_WORD =
      Pattern.compile(
          "token|secret|passw|pwd|passphrase|passcode|(^|[-_.])(pin|otp|totp|mfa|2fa|pass|sid|dsn|pat"
              + "|jwt|salt|seed|code|user|login|auth|header|cert)([-_.]|$)|mnemonic|api[-_]?key|(^|[-_.])key"
              + "|key$|bearer|authorization|credential|cookie|signature|session|licen[cs]e|webhook"
              + "|connection[-_]?string",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern OPTION = Pattern.compile("--?[A-Za-z][A-Za-z0-9._-]{0,50}");

  /** Single-dash options that take no secret: those of node, npx, uvx, python, java, docker. */
  private static final Set<String> HARMLESS =
      Set.of(
          "-y",
          "-q",
          "-v",
          "-i",
          "-t",
          "-it",
          "-d",
          "-m",
          "-e",
          "-w",
          "-l",
          "-jar",
          "-cp",
          "-classpath",
          "-rm",
          "-version",
          "-verbose",
          "-server");

  /** {@code NAME=value}, {@code --name=value}, {@code Name: value}. */
  private static final Pattern PAIR =
      Pattern.compile("(-{0,2}[A-Za-z_][\\w.-]{0,60})(=|:\\s+)(.*)", Pattern.DOTALL);

  private static final Pattern SECRET_FORM =
      Pattern.compile(
          "(sk-|pk_|rk_|sk_|gh[opusr]_|github_pat_|glpat-|xox[abpsr]-|npm_|AKIA|AIza|ya29\\.|eyJ"
              + "|Bearer |Basic ).*",
          Pattern.DOTALL);

  /** Long, with digits and letters, and not a path: not a word that a person would write. */
  private static final Pattern RANDOM =
      Pattern.compile("(?=.*\\d)(?=.*[A-Za-z])[A-Za-z0-9_+=~-]{20,}|[A-Za-z0-9_+=~-]{40,}");

  private static final Pattern WORD = Pattern.compile("[A-Za-z][A-Za-z_.:-]{0,60}|\\d{1,5}");

  /** A path, or the name of a package with its version. */
  private static final Pattern PATH =
      Pattern.compile(
          "(\\.{0,2}/|~/|@[\\w.-]+/|[A-Za-z]:\\\\)[\\w./@+ \\\\~-]{0,300}"
              + "|[\\w.-]+(/[\\w.-]+)++(:[\\w.-]+)?|[A-Za-z][\\w.-]*(@|==)[\\w.^~-]{1,30}"
              + "|[\\w-][\\w.-]*\\.(js|mjs|cjs|ts|py|jar|sh|rb|json|ya?ml|toml|db|sqlite|wasm|exe)");

  private static final Pattern URL =
      Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*://.*", Pattern.DOTALL);

  private static final Pattern PROGRAM = Pattern.compile("[\\w.+/-]{1,200}");

  private static final Pattern USER = Pattern.compile("(?s)[^:/?#]+://([^/?#]*)@.*");

  private static final Pattern HOST = Pattern.compile("^[^:]+://(?:[^/?#]*@)?([^/?#]*)");

  private EntryMasking() {}

  /** The command as it may be shown: also a name or path with digits, such as python3.11. */
  static String command(Filled command) {
    String shown = command.shown();
    boolean plain = PROGRAM.matcher(shown).matches() && !SECRET_FORM.matcher(shown).matches();
    return plain ? shown : arg(shown);
  }

  /** The arguments as they may be shown, one for each. */
  static List<String> args(List<Filled> args) {
    List<String> out = new ArrayList<>(args.size());
    boolean hideNext = false;
    for (Filled arg : args) {
      out.add(hideNext && !isOption(arg) ? MASK : arg(arg.shown()));
      hideNext = isOption(arg) && takesSecret(arg.shown());
    }
    return out;
  }

  /**
   * The secrets among hidden arguments, which must be removed from all texts. Paths are no secrets.
   */
  static List<Sensitive> secrets(List<Filled> args) {
    Set<String> secrets = new LinkedHashSet<>();
    List<String> shown = args(args);
    for (int i = 0; i < shown.size(); i++) {
      String value = args.get(i).value().reveal();
      if (shown.get(i).contains(MASK)) {
        Matcher pair = PAIR.matcher(value);
        if (URL.matcher(value).matches()) {
          secrets.addAll(urlSecrets(value));
        } else if (pair.matches()) {
          addSecret(secrets, pair.group(3));
        } else {
          addSecret(secrets, value);
          if (value.startsWith("-") && !value.startsWith("--") && value.length() > 2) {
            addSecret(secrets, value.substring(2)); // -ps3cr3t
          }
        }
      }
    }
    return Sensitive.all(secrets);
  }

  private static void addSecret(Set<String> secrets, String value) {
    if (URL.matcher(value).matches()) {
      secrets.addAll(urlSecrets(value));
    } else if (!PATH.matcher(value).matches()) {
      secrets.add(value);
      // for example "Authorization: Bearer x": logs may quote the value alone
      Matcher pair = PAIR.matcher(value);
      if (pair.matches()) {
        secrets.add(pair.group(3));
      }
    }
  }

  private static boolean isOption(Filled arg) {
    return OPTION.matcher(arg.shown()).matches() && !isAttached(arg.shown());
  }

  /** A single-letter option with an attached value, such as {@code -ps3cr3t}. */
  private static boolean isAttached(String arg) {
    return !arg.startsWith("--") && arg.length() > 2 && !HARMLESS.contains(arg) && !secret(arg);
  }

  private static boolean takesSecret(String option) {
    boolean letter = !option.startsWith("--") && option.length() == 2;
    return secret(option) || (letter && !HARMLESS.contains(option));
  }

  private static boolean secret(String option) {
    return SECRET_WORD.matcher(option.replaceFirst("^-+", "")).find();
  }

  private static String arg(String arg) {
    if (URL.matcher(arg).matches()) {
      return url(arg);
    }
    if (arg.contains(MASK)) {
      if (isPath(arg.replace(MASK, "x")) && arg.contains("/")) {
        return arg;
      }
      Matcher pair = PAIR.matcher(arg);
      return pair.matches() && !pair.group(1).contains(MASK)
          ? pair.group(1) + pair.group(2) + MASK
          : MASK;
    }
    if (SECRET_FORM.matcher(arg).matches() || RANDOM.matcher(arg).matches()) {
      return MASK;
    }
    if (OPTION.matcher(arg).matches()) {
      return isAttached(arg) ? arg.substring(0, 2) + MASK : arg;
    }
    Matcher pair = PAIR.matcher(arg);
    if (pair.matches() && !PATH.matcher(arg).matches()) {
      boolean option = arg.startsWith("-") && !secret(pair.group(1));
      String value = option ? arg(pair.group(3)) : MASK;
      return pair.group(1) + pair.group(2) + value;
    }
    return WORD.matcher(arg).matches() || isPath(arg) ? arg : MASK;
  }

  private static boolean isPath(String arg) {
    return PATH.matcher(arg).matches()
        && List.of(arg.split("[/\\\\@]", -1)).stream().noneMatch(p -> RANDOM.matcher(p).matches());
  }

  /**
   * The URL without user, password, query and fragment, and without path segments that came from a
   * variable or look random. For a Unix socket the fragment, which holds the HTTP path, stays.
   */
  static String url(String url) {
    if (url.regionMatches(true, 0, "unix:", 0, 5)) {
      return url.replaceFirst("(?s)\\?.*", "?" + MASK);
    }
    String out = url.replaceFirst("^([A-Za-z][A-Za-z0-9+.-]*://)[^/?#]*@", "$1" + MASK + "@");
    out = out.replaceFirst("(?s)[?#].*", "?" + MASK);
    int path = out.indexOf('/', out.indexOf("://") + 3);
    if (path < 0) {
      return out;
    }
    List<String> parts = new ArrayList<>();
    for (String part : out.substring(path).split("/", -1)) {
      parts.add(part.contains(MASK) ? part : looksSecret(part) ? MASK : part);
    }
    return out.substring(0, path) + String.join("/", parts);
  }

  private static boolean looksSecret(String text) {
    return SECRET_FORM.matcher(text).matches() || RANDOM.matcher(text).matches();
  }

  /** The parts of a URL that are always hidden, and the path segments that look random. */
  static List<Sensitive> secrets(Sensitive url) {
    return Sensitive.all(urlSecrets(url.reveal()));
  }

  /** The secrets without those that are part of the URL's host: a host is not a secret. */
  static List<Sensitive> withoutHost(List<Sensitive> secrets, Sensitive url) {
    Matcher host = HOST.matcher(url.reveal());
    return host.find()
        ? secrets.stream().filter(secret -> !host.group(1).contains(secret.reveal())).toList()
        : secrets;
  }

  private static Set<String> urlSecrets(String url) {
    Set<String> secrets = new LinkedHashSet<>();
    Matcher user = USER.matcher(url);
    if (user.matches()) {
      secrets.add(user.group(1));
      secrets.add(user.group(1).replaceFirst("^[^:]*:", ""));
    }
    String rest = url.replaceFirst("(?s)^[^?#]*", "");
    if (!url.toLowerCase(Locale.ROOT).startsWith("unix:")) {
      for (String part : rest.split("[?#&;]", -1)) {
        secrets.add(part.substring(part.indexOf('=') + 1));
      }
    }
    String path = url.replaceFirst("^[^:]+://[^/?#]*", "").replaceFirst("(?s)[?#].*", "");
    for (String part : path.split("/", -1)) {
      if (looksSecret(part)) {
        secrets.add(part);
      }
    }
    List.copyOf(secrets).forEach(secret -> secrets.add(decoded(secret)));
    secrets.removeIf(String::isEmpty);
    return secrets;
  }

  private static String decoded(String text) {
    try {
      String plain = URI.create("x:///" + text.replace('+', ' ').replace(" ", "%20")).getPath();
      return plain == null ? text : plain.substring(1);
    } catch (IllegalArgumentException e) {
      return text;
    }
  }
}
