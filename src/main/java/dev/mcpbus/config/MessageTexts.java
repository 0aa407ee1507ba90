package dev.mcpbus.config;

import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Helpers for messages. Stateless. */
final class MessageTexts {

  private static final int QUOTE_LIMIT = 80;

  private MessageTexts() {}

  /** The text in double quotes, ASCII only, at most 80 characters. */
  static String quote(String text) {
    String cut = text.length() > QUOTE_LIMIT ? text.substring(0, QUOTE_LIMIT) : text;
    return "\"" + ascii(cut) + (text.length() > QUOTE_LIMIT ? "..." : "") + "\"";
  }

  /**
   * Writes everything outside printable ASCII as {@code \\uXXXX}, so that no text can send control
   * codes to a terminal.
   */
  static String ascii(String text) {
    StringBuilder out = new StringBuilder(text.length());
    text.chars()
        .forEach(
            c -> {
              if (c >= 0x20 && c <= 0x7E) {
                out.append((char) c);
              } else {
                out.append(String.format(Locale.ROOT, "\\u%04x", c));
              }
            });
    return out.toString();
  }

  /** The candidate most similar to {@code word}; null if none is similar enough. */
  static @Nullable String nearest(String word, Collection<String> candidates) {
    String lower = word.toLowerCase(Locale.ROOT).replace("_", "").replace("-", "");
    if (lower.length() > 40) {
      return null;
    }
    String best = null;
    int bestDistance = lower.length() <= 4 ? 2 : 3;
    for (String candidate : candidates) {
      int distance = distance(lower, candidate.toLowerCase(Locale.ROOT));
      if (distance < bestDistance) {
        best = candidate;
        bestDistance = distance;
      }
    }
    return best;
  }

  /** The edit distance of two words; a swap of two neighbours counts as one edit. */
  static int distance(String a, String b) {
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          d[i][j] = i + j;
          continue;
        }
        int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        d[i][j] = Math.min(d[i - 1][j - 1] + change, Math.min(d[i - 1][j], d[i][j - 1]) + 1);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          d[i][j] = Math.min(d[i][j], d[i - 2][j - 2] + 1);
        }
      }
    }
    return d[a.length()][b.length()];
  }
}
