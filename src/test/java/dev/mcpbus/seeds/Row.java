package dev.mcpbus.seeds;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * One row of the table of the seeds.
 *
 * @param seed what the document has, with the behaviour that it describes
 * @param address the addresses by which the row is tried, empty if there is none
 * @param facade the methods of the facade by which it is tried, the keys, or where else it is
 * @param tried how, in a few words
 * @param trial tries it, and fails where it is not so
 */
record Row(String seed, String address, String facade, String tried, Trial trial) {

  private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

  /** What tries a row against a running bus. */
  @FunctionalInterface
  interface Trial {
    void run(SeedBed bed) throws Exception;
  }

  List<String> addresses() {
    return quoted(address);
  }

  /** Methods, keys, events and classes. */
  List<String> places() {
    return quoted(facade);
  }

  private static List<String> quoted(String cell) {
    return QUOTED.matcher(cell).results().map((MatchResult found) -> found.group(1)).toList();
  }

  @Override
  public String toString() {
    String where = address.isEmpty() ? "" : address;
    return "| " + seed + " | " + where + " | " + facade + " | " + tried + " |\n";
  }
}
