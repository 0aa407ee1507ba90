package dev.mcpbus.config.read;

import static dev.mcpbus.protocol.Sensitive.MASK;

import dev.mcpbus.config.read.Substitution.Filled;
import dev.mcpbus.protocol.SecretRules;
import dev.mcpbus.protocol.Sensitive;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Decides what of a server's definition may be shown. An argument is shown only if it is an
 * option's name, or a plain word, path, URL or package written literally in the file, and the
 * option before it does not take a secret. Stateless.
 */
public final class EntryMasking {

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

  private static final Pattern PROGRAM = Pattern.compile("[\\w.+/-]{1,200}");

  private static final Pattern HOST = Pattern.compile("^[^:]+://(?:[^/?#]*@)?([^/?#]*)");

  private EntryMasking() {}

  /** The command as it may be shown: also a name or path with digits, such as python3.11. */
  public static String command(Filled command) {
    String shown = command.shown();
    boolean plain = PROGRAM.matcher(shown).matches() && !SecretRules.looksSecret(shown);
    return plain ? shown : arg(shown);
  }

  /** The arguments as they may be shown, one for each. */
  public static List<String> args(List<Filled> args) {
    List<String> out = new ArrayList<>(args.size());
    boolean hideNext = false;
    for (Filled arg : args) {
      out.add(hideNext && !isOption(arg) ? MASK : arg(arg.shown()));
      hideNext = isOption(arg) && takesSecret(arg.shown());
    }
    return out;
  }

  /** The secrets among hidden arguments, which must be removed from all texts. */
  static List<Sensitive> secrets(List<Filled> args) {
    List<Sensitive> secrets = new ArrayList<>();
    List<String> shown = args(args);
    String option = "";
    for (int i = 0; i < shown.size(); i++) {
      String value = args.get(i).value().reveal();
      if (shown.get(i).contains(MASK)) {
        addSecrets(secrets, option, value);
        if (value.startsWith("-") && !value.startsWith("--") && value.length() > 2) {
          addSecrets(secrets, value.substring(0, 2), value.substring(2)); // -ps3cr3t
        }
      }
      option = isOption(args.get(i)) ? value : "";
    }
    return secrets;
  }

  private static void addSecrets(List<Sensitive> secrets, String option, String value) {
    Matcher pair = PAIR.matcher(value);
    boolean named = pair.matches() && !SecretRules.isUrl(value);
    if (!named || !pair.group(2).equals("=")) {
      secrets.addAll(SecretRules.in(named(option), Sensitive.of(value)));
    }
    if (named) { // logs may quote the value of "Authorization: Bearer x" alone
      secrets.addAll(SecretRules.in(named(pair.group(1)), Sensitive.of(pair.group(3))));
    }
  }

  /** The name of what an option takes; {@code -p} mostly takes a password. */
  private static String named(String option) {
    String name = option.replaceFirst("^-+", "");
    return name.equalsIgnoreCase("p") ? "password" : name;
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
    return SecretRules.mayTakeSecret(option);
  }

  private static String arg(String arg) {
    if (SecretRules.isUrl(arg)) {
      return url(arg);
    }
    if (arg.contains(MASK)) {
      if (SecretRules.isPath(arg.replace(MASK, "x")) && arg.contains("/")) {
        return arg;
      }
      Matcher pair = PAIR.matcher(arg);
      return pair.matches() && !pair.group(1).contains(MASK)
          ? pair.group(1) + pair.group(2) + MASK
          : MASK;
    }
    if (SecretRules.looksSecret(arg)) {
      return MASK;
    }
    if (OPTION.matcher(arg).matches()) {
      return isAttached(arg) ? arg.substring(0, 2) + MASK : arg;
    }
    Matcher pair = PAIR.matcher(arg);
    if (pair.matches() && !SecretRules.isPathForm(arg)) {
      boolean option = arg.startsWith("-") && !secret(pair.group(1));
      String value = option ? arg(pair.group(3)) : MASK;
      return pair.group(1) + pair.group(2) + value;
    }
    return SecretRules.isWord(arg) || SecretRules.isPath(arg) ? arg : MASK;
  }

  /**
   * The URL without user, password, query and fragment, and without path segments that came from a
   * variable or look random. For a Unix socket the fragment, which holds the HTTP path, stays.
   */
  public static String url(String url) {
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
      parts.add(part.contains(MASK) ? part : SecretRules.looksSecret(part) ? MASK : part);
    }
    return out.substring(0, path) + String.join("/", parts);
  }

  /** The parts of a URL that are always hidden, and the path segments that look random. */
  static List<Sensitive> secrets(Sensitive url) {
    return Sensitive.all(SecretRules.inUrl(url.reveal()));
  }

  /** The secrets without those that are part of the URL's host: a host is not a secret. */
  static List<Sensitive> withoutHost(List<Sensitive> secrets, Sensitive url) {
    Matcher host = HOST.matcher(url.reveal());
    return host.find()
        ? secrets.stream().filter(secret -> !host.group(1).contains(secret.reveal())).toList()
        : secrets;
  }
}
