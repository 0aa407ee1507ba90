package dev.mcpbus.protocol.schema;

import java.net.IDN;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.DateTimeException;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The values of {@code format} that a text is compared with; any text fits another format. Each
 * takes a time proportional to its text. Stateless.
 */
final class TextFormats {

  /** No host name, mail address, date or IP address is longer. */
  private static final int MAX_SHORT = 320;

  private static final int MAX_HOST = 253;

  private static final Pattern DATE = Pattern.compile("\\d{4}-\\d\\d-\\d\\d");
  private static final Pattern TIME =
      Pattern.compile("(\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?)([zZ]|[+-]([01]\\d|2[0-3]):?[0-5]\\d)?");
  private static final Pattern LEAP_SECOND =
      Pattern.compile("23:59:60(\\.\\d{1,9})?([zZ]|[+-]00:?00)?");
  private static final Pattern DURATION =
      Pattern.compile(
          "P(?!$)(\\d+W|(\\d+Y)?(\\d+M)?(\\d+D)?(T(?=\\d)(\\d+H)?(\\d+M)?(\\d+([.,]\\d+)?S)?)?)");
  private static final Pattern UUID =
      Pattern.compile("(?i)(urn:uuid:)?[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}");
  private static final Pattern IPV4 =
      Pattern.compile("((25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(\\.(?!$)|$)){4}");

  /** A variable of a URI template. */
  private static final Pattern VARIABLE =
      Pattern.compile("[\\w%]+(\\.[\\w%]+)*+(:[1-9]\\d{0,3}|\\*)?");

  /** Letters of RFC 5892 that a host name must not begin with, or have at their place. */
  private static final Pattern NO_HOST =
      Pattern.compile(
          "(?s)[\\p{Mc}\\p{Me}\\p{Mn}\u05f3\u05f4].*|\u30fb|.*(\u302e|(?<!l)\u00b7|\u00b7(?!l)).*"
              + "|.*[.\u3002\uff0e\uff61]");

  private TextFormats() {}

  static boolean fits(String format, String text) {
    return switch (format) {
      case "byte" -> isBase64(text);
      case "date" -> isDate(text);
      case "time" -> isTime(text);
      case "date-time" ->
          text.length() > 11
              && isDate(text.substring(0, 10))
              && "tT ".indexOf(text.charAt(10)) >= 0
              && isTime(text.substring(11));
      case "duration" -> isShort(text) && DURATION.matcher(text).matches();
      case "uri" -> isReference(text) && hasScheme(text);
      case "uri-reference" -> isReference(text);
      case "uri-template" -> isTemplate(text);
      case "url" -> isUrl(text);
      case "email" -> isMail(text, false);
      case "idn-email" -> isMail(text, true);
      case "hostname" -> isHost(text);
      case "idn-hostname" -> isInternationalHost(text);
      case "ipv4" -> isShort(text) && IPV4.matcher(text).matches();
      case "ipv6" -> isIpv6(text);
      case "regex" -> isRegex(text);
      case "uuid" -> isShort(text) && UUID.matcher(text).matches();
      case "json-pointer" -> isPointer(text);
      case "json-pointer-uri-fragment" ->
          text.startsWith("#") && isPointer(text.substring(1)) && isReference(text);
      case "relative-json-pointer" -> isRelativePointer(text);
      default -> true;
    };
  }

  private static boolean isShort(String text) {
    return text.length() <= MAX_SHORT;
  }

  private static boolean all(String text, IntPredicate fits) {
    return text.chars().allMatch(fits);
  }

  private static boolean isLetter(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  }

  private static boolean isDigit(int c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isLetterOrDigit(int c) {
    return isLetter(c) || isDigit(c);
  }

  private static boolean isHex(String text, int from, int to) {
    return to <= text.length()
        && all(text.substring(from, to), c -> Character.digit(c, 16) >= 0 && c < 0x80);
  }

  private static boolean isBase64(String text) {
    int padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
    String digits = text.substring(0, text.length() - padding);
    return !text.isEmpty()
        && text.length() % 4 == 0
        && all(digits, c -> isLetterOrDigit(c) || c == '+' || c == '/');
  }

  private static boolean isDate(String text) {
    return DATE.matcher(text).matches() && parses(DateTimeFormatter.ISO_LOCAL_DATE, text);
  }

  private static boolean isTime(String text) {
    Matcher time = TIME.matcher(text);
    return time.matches()
        && (LEAP_SECOND.matcher(text).matches()
            || parses(DateTimeFormatter.ISO_LOCAL_TIME, time.group(1)));
  }

  private static boolean parses(DateTimeFormatter form, String text) {
    try {
      form.parse(text);
      return true;
    } catch (DateTimeException e) {
      return false;
    }
  }

  /** RFC 3986: the characters, their places as far as a reader could mistake them. */
  private static boolean isReference(String text) {
    boolean fragment = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean known =
          isLetterOrDigit(c) || "-._~:/?[]@!$&'()*+,;=".indexOf(c) >= 0 || (c == '#' && !fragment);
      fragment |= c == '#';
      if (c == '%' ? !isHex(text, i + 1, i + 3) : !known) {
        return false;
      }
    }
    int brackets = text.indexOf('[');
    return brackets < 0
        ? text.indexOf(']') < 0
        : text.startsWith("//", text.indexOf(':') + 1)
            && text.indexOf('[', brackets + 1) < 0
            && text.indexOf(']') > brackets;
  }

  private static boolean hasScheme(String text) {
    int colon = text.indexOf(':');
    return colon > 0
        && isLetter(text.charAt(0))
        && all(text.substring(0, colon), c -> isLetterOrDigit(c) || "+-.".indexOf(c) >= 0);
  }

  /** RFC 6570: expressions in braces, none within another. */
  private static boolean isTemplate(String text) {
    int open = -1;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean wrong =
          c == '{'
              ? open >= 0
              : c == '}'
                  ? open < 0 || !isExpression(text.substring(open + 1, i))
                  : open < 0 && isNoLiteral(text, i);
      if (wrong) {
        return false;
      }
      open = c == '{' ? i : c == '}' ? -1 : open;
    }
    return open < 0;
  }

  private static boolean isExpression(String text) {
    boolean operator = !text.isEmpty() && "+#./;?&=,!@|".indexOf(text.charAt(0)) >= 0;
    return List.of((operator ? text.substring(1) : text).split(",", -1)).stream()
        .allMatch(variable -> VARIABLE.matcher(variable).matches());
  }

  private static boolean isNoLiteral(String text, int at) {
    char c = text.charAt(at);
    return c <= ' ' || "\"'<>\\^`".indexOf(c) >= 0 || (c == '%' && !isHex(text, at + 1, at + 3));
  }

  /** An absolute URL of the web or of FTP with a host; international characters are allowed. */
  private static boolean isUrl(String text) {
    int start = text.indexOf("://") + 3;
    return start > 3
        && start < text.length()
        && switch (text.substring(0, Math.min(5, start - 3)).toLowerCase(Locale.ROOT)) {
          case "http", "https", "ftp" -> true;
          default -> false;
        }
        && "/?#:@".indexOf(text.charAt(start)) < 0
        && text.chars().noneMatch(c -> c <= ' ' || Character.isWhitespace(c));
  }

  private static boolean isMail(String text, boolean international) {
    int at = text.indexOf('@');
    if (!isShort(text) || at <= 0 || at > 64 || text.indexOf('@', at + 1) >= 0) {
      return false;
    }
    String name = text.substring(0, at);
    String host = text.substring(at + 1);
    return !name.startsWith(".")
        && !name.endsWith(".")
        && !name.contains("..")
        && all(
            name,
            c ->
                isLetterOrDigit(c)
                    || ".!#$%&'*+/=?^_`{|}~-".indexOf(c) >= 0
                    || (international && c >= 0x80))
        && (international ? isInternationalHost(host) : isHost(host));
  }

  private static boolean isHost(String text) {
    String host = text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
    if (host.length() > MAX_HOST) {
      return false;
    }
    for (String label : host.split("\\.", -1)) {
      if (label.isEmpty()
          || label.length() > 63
          || label.startsWith("-")
          || label.endsWith("-")
          || !all(label, c -> isLetterOrDigit(c) || c == '-')) {
        return false;
      }
    }
    return true;
  }

  /** The conversion takes longer than in proportion to its text, so that has a bound. */
  private static boolean isInternationalHost(String text) {
    try {
      return text.length() <= MAX_HOST
          && !NO_HOST.matcher(text).matches()
          && isHost(IDN.toASCII(text));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** The JDK looks up no name with a colon. */
  private static boolean isIpv6(String text) {
    if (text.length() > 45
        || text.indexOf(':') < 0
        || !all(text, c -> c == ':' || c == '.' || (c < 0x80 && Character.digit(c, 16) >= 0))) {
      return false;
    }
    try {
      String end = text.substring(text.lastIndexOf(':') + 1);
      return InetAddress.getByName(text) != null
          && (end.indexOf('.') < 0 || IPV4.matcher(end).matches());
    } catch (UnknownHostException e) {
      return false;
    }
  }

  private static boolean isRegex(String text) {
    try {
      Pattern.compile(text);
      return !text.contains("\\Z");
    } catch (PatternSyntaxException e) {
      return false;
    }
  }

  private static boolean isPointer(String text) {
    for (int i = text.indexOf('~'); i >= 0; i = text.indexOf('~', i + 1)) {
      if (i + 1 == text.length() || "01".indexOf(text.charAt(i + 1)) < 0) {
        return false;
      }
    }
    return text.isEmpty() || text.startsWith("/");
  }

  private static boolean isRelativePointer(String text) {
    int end = 0;
    while (end < text.length() && isDigit(text.charAt(end))) {
      end++;
    }
    String rest = text.substring(end);
    return end > 0 && (end == 1 || !text.startsWith("0")) && (rest.equals("#") || isPointer(rest));
  }
}
