package dev.mcpbus.protocol.schema;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Whether a regular expression is one for the engines of JavaScript in their Unicode mode, which
 * refuse what those of Python, Java and Go read: {@code (?P<n>x)}, {@code (?i)}, {@code \A}, {@code
 * a++}, {@code \-}. Errs on the side of no. Takes as long as reading the text. Stateless.
 */
final class EcmaPattern {

  /** The most characters of a pattern that is looked at. */
  private static final int LONGEST = 1_000;

  /** What may stand behind a backslash; the other escapes have arguments, which are not read. */
  private static final String ESCAPED = "dDwWsSbBtnvfr0^$\\.*+?()[]{}|/";

  private EcmaPattern() {}

  /** Whether the engines without look-around, such as those of Rust and Go, read it as well. */
  static boolean isPortable(String pattern) {
    return isPlain(pattern)
        && !pattern.contains("(?=")
        && !pattern.contains("(?!")
        && !pattern.contains("(?<");
  }

  /** Whether both JavaScript and Java compile the pattern, for the same texts. */
  static boolean isPlain(String pattern) {
    if (pattern.length() > LONGEST) {
      return false;
    }
    boolean listed = false;
    boolean looks = false;
    for (int i = 0; i < pattern.length(); i++) {
      char c = pattern.charAt(i);
      char next = i + 1 < pattern.length() ? pattern.charAt(i + 1) : 0;
      if (c == '\\') {
        boolean known = ESCAPED.indexOf(next) >= 0 || (listed && next == '-');
        boolean set = "dDwWsS".indexOf(next) >= 0;
        char behind = i + 2 < pattern.length() ? pattern.charAt(i + 2) : 0;
        boolean edge = "bB".indexOf(next) >= 0;
        if (!known
            || (listed && (edge || (set && (behind == '-' || pattern.charAt(i - 1) == '-'))))
            || (edge && isRepeat(behind))) {
          return false;
        }
        i++;
      } else if (listed) {
        if (c == '[' || (c == '&' && next == '&')) {
          return false; // Java reads sets in sets
        }
        listed = c != ']';
      } else if (c == '[') {
        listed = true;
        i += next == '^' ? 1 : 0;
        if (i + 1 < pattern.length() && pattern.charAt(i + 1) == ']') {
          return false; // empty there, a bracket in Java
        }
      } else if (c == ']' || (c == '(' && next == '?' && !isGroup(pattern, i + 2))) {
        return false;
      } else if ("*+?}".indexOf(c) >= 0 && next == '+') {
        return false; // possessive
      } else if (isRepeat(next) && (c == '^' || c == '$' || (c == ')' && looks))) {
        return false; // of an assertion
      } else if (c == '(') {
        looks |= next == '?' && !pattern.startsWith(":", i + 2);
      } else if (c == '{') {
        int end = quantifier(pattern, i + 1);
        if (end < 0) {
          return false;
        }
        i = end - 1; // the brace is looked at next, for what stands behind it
      } else if (c == '}' && (i == 0 || !isDigitOrComma(pattern.charAt(i - 1)))) {
        return false;
      }
    }
    try {
      Pattern.compile(pattern);
      return true;
    } catch (PatternSyntaxException | StackOverflowError e) {
      return false;
    }
  }

  private static boolean isRepeat(char c) {
    return c == '*' || c == '+' || c == '?' || c == '{';
  }

  private static boolean isGroup(String pattern, int at) {
    return pattern.startsWith(":", at)
        || pattern.startsWith("=", at)
        || pattern.startsWith("!", at)
        || pattern.startsWith("<=", at)
        || pattern.startsWith("<!", at);
  }

  /** The place of the brace that ends a quantifier; -1 if it is none. */
  private static int quantifier(String pattern, int from) {
    int i = from;
    while (i < pattern.length() && isDigitOrComma(pattern.charAt(i))) {
      i++;
    }
    return i > from && i < pattern.length() && pattern.charAt(i) == '}' ? i : -1;
  }

  private static boolean isDigitOrComma(char c) {
    return (c >= '0' && c <= '9') || c == ',';
  }
}
