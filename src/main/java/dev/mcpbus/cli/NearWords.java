package dev.mcpbus.cli;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Words that a mistyped one may mean. Stateless. */
final class NearWords {

  private static final int MOST = 3;
  private static final int MAX_LENGTH = 64;

  private NearWords() {}

  /** At most three, the nearest first: a letter or two of difference, or one begins the other. */
  static List<String> of(String word, Collection<String> known) {
    String wanted = word.toLowerCase(Locale.ROOT);
    if (wanted.length() > MAX_LENGTH) {
      return List.of();
    }
    return known.stream()
        .filter(each -> each.length() <= MAX_LENGTH)
        .filter(each -> isNear(wanted, each.toLowerCase(Locale.ROOT)))
        .sorted(
            Comparator.comparingInt(
                    (String each) -> distance(wanted, each.toLowerCase(Locale.ROOT)))
                .thenComparing(each -> each))
        .limit(MOST)
        .toList();
  }

  private static boolean isNear(String wanted, String known) {
    return distance(wanted, known) <= Math.max(1, Math.min(wanted.length(), known.length()) / 3)
        || (wanted.length() > 1 && (known.startsWith(wanted) || wanted.startsWith(known)));
  }

  /** Levenshtein's distance. */
  private static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int above = row[j];
        int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        row[j] = Math.min(diagonal + change, Math.min(above, row[j - 1]) + 1);
        diagonal = above;
      }
    }
    return row[b.length()];
  }
}
