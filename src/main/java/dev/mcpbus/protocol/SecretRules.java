package dev.mcpbus.protocol;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Which names and which values are secret. This is the one table of such names: for variables,
 * headers, options, and members of JSON. A value is secret because its name says so, or because it
 * does not look like a harmless one: {@code LOG_LEVEL=info} has no secret, {@code ANY=x7Gh2kQ9} is
 * one. Stateless.
 */
public final class SecretRules {

  /** Anywhere in a name, without case and separators. */
  private static final Set<String> PARTS =
      words(
"""
2fa accesskey accountkey apikey authkey authorization backupcode bearer clientassertion
codeverifier connectionstring connstr cookie credential deploykey encryptionkey licensekey
masterkey mnemonic passcode passphrase passw privatekey recoverycode recoveryphrase secret
seedphrase servicekey session sharedkey signature signingkey sshkey storagekey token
webhook
""");

  /** As a word of a name. */
  private static final Set<String> WORDS =
      words("auth csrf cvv dsn hmac jwt mfa otp pass pat pin psk pwd sas sid sig totp xsrf");

  /** As a word of an option: its argument is not shown, though it need not be a secret. */
  private static final Set<String> DOUBTFUL =
      words("cert code header key license licence login nonce salt seed user verifier");

  /** Names of MCP and of models that count tokens. */
  private static final Set<String> COUNTS =
      words(
          "progresstoken maxtokens inputtokens outputtokens totaltokens prompttokens"
              + " completiontokens");

  /** What a name with such a last word holds is about a secret, and is none. */
  private static final Set<String> ABOUT =
      words(
          "algorithm audience count dir domain enabled endpoint expiry file folder issuer length"
              + " limit method path size timeout ttl type uri url");

  /** Values that are no secret, whatever their name. */
  private static final Set<String> SWITCHES =
      words("true false none null auto default enabled disabled required optional");

  private static final Pattern SECRET_FORM =
      Pattern.compile(
          "(sk-|pk_|rk_|sk_|gh[opusr]_|github_pat_|glpat-|xox[abpsr]-|npm_|AKIA|AIza|ya29\\.|eyJ"
              + "|Bearer |Basic ).*",
          Pattern.DOTALL);

  /** Long, with digits and letters, and not a path: not a word that a person would write. */
  private static final Pattern RANDOM =
      Pattern.compile(
          "(?=.*\\d)(?=.*[A-Za-z])[A-Za-z0-9_+=~-]{20,}|[A-Za-z0-9_+=~-]{40,}|[A-Za-z]{28,}");

  private static final Pattern WORD = Pattern.compile("[A-Za-z][A-Za-z_.:-]{0,60}|\\d{1,5}");

  /** A version, an address, a size, a date, an option, words such as {@code us-east-1}. */
  private static final Pattern MEASURE =
      Pattern.compile(
          "v?\\d{1,5}(\\.\\d{1,5}){1,4}(:\\d{1,5})?|\\d{1,5}[A-Za-z%]{1,2}|\\d{4}-\\d\\d-\\d\\d"
              + "|-{0,2}[A-Za-z]{1,20}\\d{0,2}([-_.:]+(\\d{1,5}|[A-Za-z]{1,20}\\d{0,2})){0,8}");

  /** A path, or the name of a package with its version. */
  private static final Pattern PATH =
      Pattern.compile(
          "(\\.{0,2}/|~/|@[\\w.-]+/|[A-Za-z]:\\\\)[\\w./@+ \\\\~-]{0,300}"
              + "|[\\w.-]+(/[\\w.-]+)++(:[\\w.-]+)?|[A-Za-z][\\w.-]*(@|==)[\\w.^~-]{1,30}"
              + "|[\\w-][\\w.-]*\\.(js|mjs|cjs|ts|py|jar|sh|rb|json|ya?ml|toml|db|sqlite|wasm|exe)");

  private static final Pattern ROOTED = Pattern.compile("(/|\\.{1,2}/|~/|[A-Za-z]:\\\\).*");
  private static final Pattern BASE64 = Pattern.compile("[A-Za-z0-9+/]++={0,2}");
  private static final Pattern URL =
      Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*://.*", Pattern.DOTALL);
  private static final Pattern BETWEEN = Pattern.compile("[\\s,;&?]+|:(?=[.~]|/(?!/))");
  private static final Pattern BETWEEN_PARTS = Pattern.compile("[/\\\\@]");

  /** Names of variables with one path or several. */
  private static final Pattern OF_PATHS =
      Pattern.compile("\\w{0,60}(?i:PATH|DIR|HOME|FOLDER|CWD|PWD)");

  /** Characters. Names of members come from servers, and what is longer is no name. */
  private static final int MAX_NAME = 200;

  /** Secrets of one value, which comes first itself. */
  private static final int MAX_FOUND = 100;

  /** JSON in a text in JSON, and so on. */
  private static final int MAX_DEPTH = 8;

  private SecretRules() {}

  private static Set<String> words(String all) {
    return Set.of(all.strip().split("\\s+"));
  }

  /** Whether a variable, a header or a member of this name holds a secret. */
  public static boolean isSecret(String name) {
    List<String> words = split(name);
    String joined = String.join("", words);
    boolean named = !COUNTS.contains(joined) && PARTS.stream().anyMatch(joined::contains);
    return (named || words.stream().anyMatch(WORDS::contains))
        && (joined.contains("webhook") || !ABOUT.contains(words.get(words.size() - 1)));
  }

  /** Whether an option of this name takes a secret, or might. */
  public static boolean mayTakeSecret(String option) {
    List<String> words = split(option);
    String joined = String.join("", words);
    return PARTS.stream().anyMatch(joined::contains)
        || words.stream().anyMatch(word -> WORDS.contains(word) || DOUBTFUL.contains(word))
        || joined.endsWith("key");
  }

  /** The words of a name in lower case, at least one: {@code [api, key]} of {@code apiKey}. */
  private static List<String> split(String name) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    int length = Math.min(name.length(), MAX_NAME);
    for (int i = 0; i < length; i++) {
      char c = name.charAt(i);
      boolean capital = i > 0 && Character.isUpperCase(c);
      if (!Character.isLetterOrDigit(c)
          || (capital && !Character.isUpperCase(name.charAt(i - 1)))
          || (capital && i + 1 < length && Character.isLowerCase(name.charAt(i + 1)))) {
        words.add(word.toString());
        word.setLength(0);
      }
      if (Character.isLetterOrDigit(c)) {
        word.append(Character.toLowerCase(c));
      }
    }
    words.add(word.toString());
    words.removeIf(String::isEmpty);
    return words.isEmpty() ? List.of("") : words;
  }

  /** The secrets in the values of variables or headers. */
  public static List<Sensitive> in(Map<String, Sensitive> named) {
    return named.entrySet().stream()
        .flatMap(each -> in(each.getKey(), each.getValue()).stream())
        .toList();
  }

  /**
   * The secrets in a value: all of it; parts of a URL, a connection string, a list, JSON; none if
   * the value is harmless.
   *
   * @param name of the value; empty if it has none
   */
  public static List<Sensitive> in(String name, Sensitive value) {
    Set<String> found = new LinkedHashSet<>();
    collect(found, name, value.reveal().strip(), 0);
    found.remove("");
    return Sensitive.all(found);
  }

  private static void collect(Set<String> found, String name, String text, int depth) {
    // A member of a message that is called a key mostly is one of a map.
    boolean named = isSecret(name) || name.toLowerCase(Locale.ROOT).endsWith("key");
    if (depth > MAX_DEPTH
        || (!named && hasPaths(name, text))
        || found.size() >= MAX_FOUND
        || SWITCHES.contains(text.toLowerCase(Locale.ROOT))
        || (named ? isPlace(text) : isHarmless(text))) {
      return;
    }
    boolean url = isUrl(text);
    if (url) {
      found.addAll(inUrl(text));
    }
    if (named || !url) {
      found.add(text);
    }
    Object json = text.startsWith("{") || text.startsWith("[") ? json(text) : null;
    if (json != null) {
      members(found, name, json, depth + 1);
    } else if (!url) {
      for (String piece : BETWEEN.split(text, -1)) {
        int equals = piece.indexOf('=');
        int scheme = scheme(piece);
        if (equals > 0 && equals < piece.length() - 1 && scheme < 0) {
          collect(found, piece.substring(0, equals), piece.substring(equals + 1), depth + 1);
        } else if (scheme > 0 || piece.length() < text.length()) {
          collect(found, "", piece.substring(Math.max(0, scheme)), depth + 1);
        }
      }
    }
  }

  /** A variable such as {@code PATH}, whose folders may have random names. */
  private static boolean hasPaths(String name, String text) {
    return OF_PATHS.matcher(name).matches()
        && BETWEEN.splitAsStream(text).allMatch(part -> part.isEmpty() || isPathForm(part));
  }

  /** Where a secret is, and none itself: each 64th key in Base64 begins with a slash, too. */
  private static boolean isPlace(String text) {
    return ROOTED.matcher(text).matches() && isPath(text) && !isMixed(text);
  }

  /** Whether it has the characters of Base64, capitals, digits and small letters in no order. */
  private static boolean isMixed(String text) {
    int changes = 0;
    for (int i = 1; i < text.length(); i++) {
      int kind = Character.getType(text.charAt(i));
      int before = Character.getType(text.charAt(i - 1));
      boolean both =
          Character.isLetterOrDigit(text.charAt(i))
              && Character.isLetterOrDigit(text.charAt(i - 1));
      changes += both && kind != before ? 1 : 0;
    }
    return BASE64.matcher(text).matches() && changes * 4 >= text.length();
  }

  private static @Nullable Object json(String text) {
    try {
      return Json.decodeValue(text);
    } catch (DecodeException e) {
      return null;
    }
  }

  private static void members(Set<String> found, String name, Object json, int depth) {
    if (json instanceof JsonObject object && depth <= MAX_DEPTH) {
      object.forEach(each -> members(found, each.getKey(), each.getValue(), depth + 1));
    } else if (json instanceof JsonArray list && depth <= MAX_DEPTH) {
      list.forEach(each -> members(found, name, each, depth + 1));
    } else if (json instanceof String || json instanceof Number) {
      collect(found, name, json.toString(), depth + 1);
    }
  }

  /** Where a URL begins in a text such as {@code jdbc:postgresql://h}; -1 if there is none. */
  private static int scheme(String text) {
    int at = text.indexOf("://");
    while (at > 0 && Character.isLetterOrDigit(text.charAt(at - 1))) {
      at--;
    }
    return at;
  }

  /** A word, a small number, a measure, a path, or several of them. */
  private static boolean isHarmless(String text) {
    if (looksSecret(text)) {
      return false;
    }
    if (isPath(text)) {
      return true;
    }
    for (String piece : BETWEEN.split(text, -1)) {
      int equals = piece.indexOf('=');
      String value = piece.substring(equals + 1);
      if ((equals > 0 && isSecret(piece.substring(0, equals)))
          || looksSecret(value)
          || !(value.isEmpty()
              || isWord(value)
              || MEASURE.matcher(value).matches()
              || isPath(value))) {
        return false;
      }
    }
    return true;
  }

  /** Whether it is a word that a person would write, or a small number. */
  public static boolean isWord(String text) {
    return WORD.matcher(text).matches();
  }

  /** Whether it is a path or a package without a part that looks random. */
  public static boolean isPath(String text) {
    return isPathForm(text)
        && BETWEEN_PARTS.splitAsStream(text).noneMatch(part -> RANDOM.matcher(part).matches());
  }

  /** Whether it has the form of a path or a package. */
  public static boolean isPathForm(String text) {
    return PATH.matcher(text).matches();
  }

  public static boolean isUrl(String text) {
    return URL.matcher(text).matches();
  }

  /** Whether it has the form of a key of a known service, or looks random. */
  public static boolean looksSecret(String text) {
    return SECRET_FORM.matcher(text).matches() || RANDOM.matcher(text).matches();
  }

  /**
   * The secrets in a URL: user and password, values of the query and the fragment that are not
   * harmless, and segments of the path that look random, each as it is written and decoded.
   */
  public static Set<String> inUrl(String url) {
    Set<String> secrets = new LinkedHashSet<>();
    int authority = url.indexOf("://") + 3;
    int path = end(url, authority, "/?#");
    int user = url.lastIndexOf('@', path);
    if (user >= authority) {
      String pair = url.substring(authority, user);
      secrets.add(pair);
      secrets.add(pair.substring(pair.indexOf(':') + 1));
    }
    int query = end(url, path, "?#");
    if (!url.regionMatches(true, 0, "unix:", 0, 5)) {
      for (String part : url.substring(query).split("[?#&;]", -1)) {
        int equals = part.indexOf('=');
        String value = part.substring(equals + 1);
        if (mayTakeSecret(part.substring(0, Math.max(0, equals))) || !isHarmless(decoded(value))) {
          secrets.add(value);
        }
      }
    }
    for (String part : url.substring(path, query).split("/", -1)) {
      if (looksSecret(part)) {
        secrets.add(part);
      }
    }
    List.copyOf(secrets).forEach(secret -> secrets.add(decoded(secret)));
    secrets.remove("");
    return secrets;
  }

  private static int end(String text, int from, String signs) {
    int at = from;
    while (at < text.length() && signs.indexOf(text.charAt(at)) < 0) {
      at++;
    }
    return at;
  }

  private static String decoded(String text) {
    try {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return text;
    }
  }
}
