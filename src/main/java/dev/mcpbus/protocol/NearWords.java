package dev.mcpbus.protocol;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** Words that a mistyped one may mean. The work is bounded for any words. Stateless. */
public final class NearWords {

  private static final int MOST = 3;
  private static final int MAX_KNOWN = 1_000;

  /** A longer word is near to no other. */
  private static final int MAX_LENGTH = 64;

  private record Candidate(String word, int distance) {}

  private NearWords() {}

  /**
   * At most three, the nearest first: some letters of difference, or one begins the other. Compares
   * the first thousand.
   */
  public static List<String> of(String word, Collection<String> known) {
    String wanted = word.toLowerCase(Locale.ROOT);
    return known.stream()
        .limit(MAX_KNOWN)
        .filter(each -> each.length() <= MAX_LENGTH)
        .map(each -> new Candidate(each, distance(wanted, each.toLowerCase(Locale.ROOT))))
        .filter(each -> isNear(wanted, each.word.toLowerCase(Locale.ROOT), each.distance))
        .sorted(Comparator.comparingInt(Candidate::distance).thenComparing(Candidate::word))
        .limit(MOST)
        .map(Candidate::word)
        .toList();
  }

  /** {@code ; did you mean 'a' or 'b'?} for the end of a message; empty where none is near. */
  public static String question(String word, Collection<String> known) {
    List<String> near = of(word, known);
    return near.isEmpty()
        ? ""
        : near.stream()
            .map(each -> "'" + Printable.line(each) + "'")
            .collect(Collectors.joining(" or ", "; did you mean ", "?"));
  }

  private static boolean isNear(String wanted, String known, int distance) {
    boolean begins = known.startsWith(wanted) || wanted.startsWith(known);
    return distance <= Math.max(1, Math.min(wanted.length(), known.length()) / 3)
        || (begins && wanted.length() > 1 && wanted.length() <= MAX_LENGTH);
  }

  /**
   * The edit distance of two words; a swap of two neighbours counts as one edit. The greatest
   * number if one of them has more than 64 characters.
   */
  public static int distance(String a, String b) {
    if (Math.max(a.length(), b.length()) > MAX_LENGTH) {
      return Integer.MAX_VALUE;
    }
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
