package dev.mcpbus.directory.aggregate;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Suggests existing names for an unknown one. The work is bounded for any input. Stateless. */
final class NameSuggestions {

  private static final int MAX_NAMES = 1_000;
  private static final int MAX_LENGTH = 64;
  private static final int MAX_FOUND = 3;

  private record Candidate(String name, int distance) {}

  private NameSuggestions() {}

  /** At most three names, nearest first; none if none is near. */
  static List<String> of(String wanted, Collection<String> names) {
    if (wanted.length() > MAX_LENGTH) {
      return List.of();
    }
    int limit = Math.max(2, wanted.length() / 3);
    String folded = wanted.toLowerCase(Locale.ROOT);
    return names.stream()
        .limit(MAX_NAMES)
        .filter(name -> Math.abs(name.length() - wanted.length()) <= limit)
        .map(name -> new Candidate(name, distance(folded, name.toLowerCase(Locale.ROOT))))
        .filter(candidate -> candidate.distance <= limit)
        .sorted(Comparator.comparingInt(Candidate::distance).thenComparing(Candidate::name))
        .limit(MAX_FOUND)
        .map(Candidate::name)
        .toList();
  }

  /** The Levenshtein distance: insertions, deletions and replacements. */
  static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
