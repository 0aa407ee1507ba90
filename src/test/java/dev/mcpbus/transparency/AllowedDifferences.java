package dev.mcpbus.transparency;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What may differ, as the table of {@code http.md} has it: each row names the messages, the members
 * and when: always, if the eras of client and server differ, or if the client has the older one.
 * What a row names is left out on both sides.
 */
final class AllowedDifferences {

  private static final Path PAGE = Path.of("src", "docs", "http.md");
  private static final String HEADING = "\n## What differs at `/mcp/<id>`";
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| (.*?) \\| (.*?) \\| (always|eras differ|older client) \\| .* \\|$");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");

  /** One row and member; an empty list of methods means all. */
  private record Rule(List<String> methods, Pattern member, String when, String text) {

    boolean leavesOut(String method, List<String> path, Pair pair) {
      return pair.whens.contains(when)
          && (methods.isEmpty() || methods.contains(method))
          && member.matcher(String.join("\n", path)).matches();
    }
  }

  /** Who speaks with whom, and which rows are for them. */
  enum Pair {
    SAME_ERA("always"),
    OTHER_ERA("always", "eras differ"),
    /**
     * What a client of the older era gets through the gateway, which must have no member of
     * 2026-07-28.
     */
    TO_OLDER_CLIENT("always", "older client"),
    /** What such a client would get directly. */
    OF_NEWER_SERVER("always", "eras differ", "older client");

    private final String whens;

    Pair(String... whens) {
      this.whens = String.join(", ", whens);
    }
  }

  private final List<Rule> rules = new ArrayList<>();
  private final Set<String> used = new TreeSet<>();

  AllowedDifferences() {
    String page;
    try {
      page = Files.readString(PAGE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    int from = page.indexOf(HEADING);
    if (from < 0 || from != page.lastIndexOf(HEADING)) {
      throw new AssertionError(PAGE + " must have one section" + HEADING);
    }
    int to = page.indexOf("\n## ", from + 1);
    Matcher rows = ROW.matcher(page.substring(from, to < 0 ? page.length() : to));
    rows.results().forEach(this::add);
    if (rules.isEmpty()) {
      throw new AssertionError(PAGE + " has no table of what may differ");
    }
  }

  private void add(MatchResult row) {
    List<String> methods = codes(row.group(1));
    for (String member : codes(row.group(2))) {
      rules.add(new Rule(methods, pattern(member), row.group(3), row.group(1) + member));
    }
  }

  private static List<String> codes(String cell) {
    return CODE.matcher(cell).results().map(code -> code.group(1)).toList();
  }

  /** {@code _meta."dev.mcpbus/*"}: names with a dot between them, a star for any letters. */
  private static Pattern pattern(String member) {
    List<String> names = new ArrayList<>();
    Matcher name = Pattern.compile("\"([^\"]*)\"|([^.\"]+)").matcher(member);
    while (name.find()) {
      String one = name.group(1) == null ? name.group(2) : name.group(1);
      names.add(Pattern.quote(one).replace("*", "\\E[^\n]*\\Q"));
    }
    return Pattern.compile(String.join("\n", names));
  }

  /** The bytes without what may differ. */
  String strip(String method, String bytes, Pair pair) {
    if (bytes.isEmpty()) {
      return bytes;
    }
    String left =
        RawTree.parse(bytes)
            .without(
                (path, value) ->
                    rules.stream()
                            .filter(rule -> rule.leavesOut(method, path, pair))
                            .peek(rule -> used.add(rule.text))
                            .count()
                        > 0)
            .text();
    // A notification of 2026-07-28 has params for its "_meta", where an older one has none.
    boolean noParams = left.equals("{}") && method.startsWith("notifications/");
    return noParams && pair != Pair.SAME_ERA ? "" : left;
  }

  /** Rows that no message of any server has needed: the page says too much. */
  List<String> unused() {
    return rules.stream().map(Rule::text).filter(text -> !used.contains(text)).toList();
  }
}
