package dev.mcpbus.protocol.schema;

/**
 * How much a regular expression may do between two characters that it reads. Alternatives that may
 * be empty multiply: {@code (|)(|)(|)x} has eight ways to reach the end of a text, and reads
 * nothing on them, so nobody who counts what it reads could stop it. An upper bound, by the syntax
 * alone. Confined to one call of {@link #of}.
 */
final class QuietWork {

  /** More than any check may take. */
  static final long TOO_MUCH = 1L << 40;

  /**
   * A part of an expression.
   *
   * @param empty whether it may match the empty text
   * @param work the steps within it between two characters
   * @param ways how many ways lead on from it without a character
   */
  private record RegexPart(boolean empty, double work, double ways) {}

  private static final RegexPart CHARACTER = new RegexPart(false, 1, 1);
  private static final RegexPart NOTHING = new RegexPart(true, 1, 1);

  private final String text;
  private int at;

  private QuietWork(String text) {
    this.text = text;
  }

  /**
   * The bound for an expression that the JDK has compiled; {@link #TOO_MUCH} where none is known.
   */
  static long of(String pattern) {
    QuietWork read = new QuietWork(pattern);
    double work = read.alternatives().work;
    return read.at == pattern.length() && work < TOO_MUCH ? (long) work : TOO_MUCH;
  }

  private RegexPart alternatives() {
    RegexPart all = sequence();
    while (is('|')) {
      at++;
      RegexPart other = sequence();
      double both = all.empty && other.empty ? all.ways + other.ways : 0;
      all =
          new RegexPart(
              all.empty || other.empty,
              all.work + other.work,
              Math.max(both, Math.max(all.ways, other.ways)));
    }
    return all;
  }

  private RegexPart sequence() {
    boolean empty = true;
    double work = 1;
    double ways = 1;
    while (at < text.length() && !is('|') && !is(')')) {
      RegexPart next = repeated(atom());
      work += ways * next.work;
      ways = next.empty ? ways * next.ways : next.ways;
      empty &= next.empty;
    }
    return new RegexPart(empty, work, ways);
  }

  private RegexPart atom() {
    char c = text.charAt(at++);
    return switch (c) {
      case '(' -> group();
      case '[' -> {
        skipClass();
        yield CHARACTER;
      }
      case '\\' -> escaped();
      case '^', '$' -> NOTHING;
      default -> CHARACTER;
    };
  }

  private RegexPart group() {
    boolean once = false;
    boolean outside = false;
    if (is('?')) {
      at++;
      if (is('<') && at + 1 < text.length() && "=!".indexOf(text.charAt(at + 1)) < 0) {
        skipTo('>');
      } else {
        int from = at;
        while (at < text.length() && ":=!>)".indexOf(text.charAt(at)) < 0) {
          at++;
        }
        String flags = text.substring(from, at);
        if (flags.indexOf('x') >= 0) {
          return new RegexPart(true, TOO_MUCH, TOO_MUCH); // blanks and comments: rare
        }
        once = is('>');
        outside = is('=') || is('!');
        if (is(')')) {
          at++;
          return NOTHING;
        }
        at++;
      }
    }
    RegexPart inner = alternatives();
    if (!is(')')) {
      return new RegexPart(true, TOO_MUCH, TOO_MUCH);
    }
    at++;
    return once || outside ? new RegexPart(outside || inner.empty, inner.work, 1) : inner;
  }

  private RegexPart repeated(RegexPart part) {
    double least;
    if (is('*') || is('?')) {
      least = 0;
      at++;
    } else if (is('+')) {
      least = 1;
      at++;
    } else if (is('{')) {
      int from = at + 1;
      skipTo('}');
      String counts = text.substring(from, Math.max(from, at - 1));
      int comma = counts.indexOf(',');
      least = number(comma < 0 ? counts : counts.substring(0, comma));
    } else {
      return part;
    }
    if (is('?') || is('+')) {
      at++;
    }
    if (least == 0) {
      return new RegexPart(true, part.work, part.empty ? part.ways + 1 : part.ways);
    }
    return part.empty ? new RegexPart(true, part.work * least, part.ways) : part;
  }

  private static double number(String digits) {
    try {
      return Double.parseDouble(digits);
    } catch (NumberFormatException e) {
      return TOO_MUCH;
    }
  }

  private RegexPart escaped() {
    if (at == text.length()) {
      return NOTHING;
    }
    char c = text.charAt(at++);
    return switch (c) {
      case 'Q' -> {
        skipQuoted();
        yield NOTHING;
      }
      case 'k' -> {
        skipTo('>');
        yield NOTHING;
      }
      case 'c' -> {
        at = Math.min(at + 1, text.length());
        yield CHARACTER;
      }
      case 'p', 'P', 'x', 'N', 'b' -> {
        if (is('{')) {
          skipTo('}');
        }
        yield c == 'b' ? NOTHING : CHARACTER;
      }
      case 'B', 'A', 'z', 'Z', 'G', 'E', 'X', 'R' -> NOTHING;
      default -> c >= '1' && c <= '9' ? NOTHING : CHARACTER;
    };
  }

  private void skipClass() {
    int open = 1;
    while (at < text.length() && open > 0) {
      char c = text.charAt(at++);
      if (c == '\\') {
        escaped();
      } else if (c == '[') {
        open++;
      } else if (c == ']') {
        open--;
      }
    }
  }

  private void skipQuoted() {
    int end = text.indexOf("\\E", at);
    at = end < 0 ? text.length() : end + 2;
  }

  private void skipTo(char last) {
    int end = text.indexOf(last, at);
    at = end < 0 ? text.length() : end + 1;
  }

  private boolean is(char c) {
    return at < text.length() && text.charAt(at) == c;
  }
}
