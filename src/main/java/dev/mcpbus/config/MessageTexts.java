package dev.mcpbus.config;

import dev.mcpbus.protocol.NearWords;
import dev.mcpbus.protocol.Printable;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Helpers for messages. Stateless. */
public final class MessageTexts {

  private static final int QUOTE_LIMIT = 80;
  private static final int MAX_COMPARED = 40;

  private MessageTexts() {}

  /** The text in double quotes, ASCII only, at most 80 characters. */
  public static String quote(String text) {
    String cut = text.length() > QUOTE_LIMIT ? text.substring(0, QUOTE_LIMIT) : text;
    return "\"" + ascii(cut) + (text.length() > QUOTE_LIMIT ? "..." : "") + "\"";
  }

  /** The name of a server in double quotes, with its letters; at most 80 characters. */
  static String name(String name) {
    return '"' + Printable.line(cut(name)) + '"';
  }

  /**
   * Writes everything outside printable ASCII as {@code \\uXXXX}, so that no text can send control
   * codes to a terminal.
   */
  public static String ascii(String text) {
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
  public static @Nullable String nearest(String word, Collection<String> candidates) {
    String lower = folded(word);
    if (lower.length() > MAX_COMPARED) {
      return null;
    }
    String best = null;
    int bestDistance = lower.length() <= 4 ? 2 : 3;
    for (String candidate : candidates) {
      int distance = NearWords.distance(lower, candidate.toLowerCase(Locale.ROOT));
      if (distance < bestDistance) {
        best = candidate;
        bestDistance = distance;
      }
    }
    return best;
  }

  /**
   * The candidates similar to {@code word}, best first: by the letters that differ, then those of
   * which one contains the other.
   */
  public static List<String> similar(String word, Collection<String> candidates, int most) {
    String lower = folded(word);
    if (lower.length() > MAX_COMPARED) {
      return List.of();
    }
    int bound = lower.length() <= 4 ? 1 : 2;
    boolean upper = isUpperCase(word);
    Map<String, Integer> found = new TreeMap<>();
    for (String candidate : candidates) {
      if (isUpperCase(candidate) && !upper) {
        continue;
      }
      String other = folded(candidate);
      int distance = NearWords.distance(lower, other);
      boolean contains =
          Math.min(lower.length(), other.length()) >= 4
              && (lower.contains(other) || other.contains(lower));
      if (distance <= bound || contains) {
        found.put(candidate, Math.min(distance, bound + 1));
      }
    }
    int best = found.values().stream().mapToInt(each -> each).min().orElse(0);
    return found.entrySet().stream()
        .filter(each -> each.getValue() == best || best > bound)
        .limit(most)
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Whether a word is certainly one of these, misspelt. */
  public static boolean isNear(String word, Collection<String> candidates) {
    String start = word.substring(0, Math.min(word.length(), MAX_COMPARED));
    return candidates.stream()
        .anyMatch(key -> NearWords.distance(start, key) <= (key.length() > 6 ? 2 : 1));
  }

  /** {@code a}, {@code a or b}, {@code a, b or c}. */
  public static String alternatives(List<String> words) {
    int last = words.size() - 1;
    return last < 1
        ? String.join("", words)
        : String.join(", ", words.subList(0, last)) + " or " + words.get(last);
  }

  private static boolean isUpperCase(String word) {
    return word.equals(word.toUpperCase(Locale.ROOT));
  }

  private static String folded(String word) {
    return word.toLowerCase(Locale.ROOT).replace("_", "").replace("-", "");
  }

  /** A text for messages, shortened to 80 characters. */
  public static String cut(String name) {
    return name.length() > 80 ? name.substring(0, 80) + "..." : name;
  }
}
