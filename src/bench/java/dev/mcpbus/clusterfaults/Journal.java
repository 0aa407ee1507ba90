package dev.mcpbus.clusterfaults;

import dev.mcpbus.testing.history.Fact;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The facts of one run: what the driver notes, and what the servers append to their file. */
final class Journal {

  private final Path servers;
  private final List<String> own = new ArrayList<>();
  private long from;

  /**
   * @param servers the file that all servers append to
   */
  Journal(Path servers) {
    this.servers = servers;
  }

  Path servers() {
    return servers;
  }

  synchronized void note(String kind, String words) {
    own.add(kind + " " + System.nanoTime() + " " + words);
  }

  /** All facts since the last {@link #begin}, and every start before. */
  synchronized List<Fact> facts() {
    List<Fact> facts = new ArrayList<>(own.stream().map(Fact::parse).toList());
    for (Fact fact : written()) {
      if (fact.at() >= from || fact.kind().equals("start")) {
        facts.add(fact);
      }
    }
    return facts;
  }

  private List<Fact> written() {
    try {
      String text = Files.exists(servers) ? Files.readString(servers) : "";
      // The last line may be on its way.
      String whole = text.substring(0, text.lastIndexOf('\n') + 1);
      return whole.lines().map(Fact::parse).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  boolean executed(String call) {
    return written().stream()
        .anyMatch(fact -> fact.kind().equals("execute") && fact.word(3).equals(call));
  }

  /** A new run: what callers did before is checked already. */
  synchronized void begin() {
    own.clear();
    from = System.nanoTime();
  }

  /** Appends the facts to a file, in the order of time. */
  void save(Path file) {
    try {
      Files.write(
          file,
          facts().stream()
              .sorted(java.util.Comparator.comparingLong(Fact::at))
              .map(Fact::toString)
              .toList());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
