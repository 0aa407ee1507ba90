package dev.mcpbus.config.read;

import dev.mcpbus.config.ConfigProblem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects the problems of one file. Owned by one read. */
public final class ProblemCollector {

  private final String file;
  private final List<ConfigProblem> found = new ArrayList<>();
  private final List<ConfigProblem> notes = new ArrayList<>();

  public ProblemCollector(String file) {
    this.file = file;
  }

  public String file() {
    return file;
  }

  /** Adds a problem of the whole file: nothing of the file is used. */
  public void fatal(int line, String message, String remedy) {
    found.add(new ConfigProblem(file, line, null, message, remedy, true));
  }

  /** Adds a syntax error of the whole file. */
  public void fatal(ParsedText.Mistake found) {
    this.found.add(
        new ConfigProblem(
            file,
            found.line(),
            found.column(),
            null,
            found.message(),
            found.remedy(),
            found.excerpt(),
            true));
  }

  /**
   * Adds a problem of one server, which is left out; of the whole file if {@code server} is null.
   */
  public void add(int line, @Nullable String server, String message, String remedy) {
    found.add(new ConfigProblem(file, line, server, message, remedy, server == null));
  }

  /** Adds a setting of a server that mcpbus ignores; the server is used all the same. */
  public void note(int line, @Nullable String server, String message, String remedy) {
    notes.add(new ConfigProblem(file, line, server, message, remedy, false));
  }

  int count() {
    return found.size();
  }

  public boolean fatal() {
    return found.stream().anyMatch(ConfigProblem::fatal);
  }

  boolean has(@Nullable String server) {
    return found.stream().anyMatch(p -> java.util.Objects.equals(p.server(), server));
  }

  public List<ConfigProblem> notes() {
    return notes.stream().sorted(Comparator.comparingInt(ConfigProblem::line)).toList();
  }

  public List<ConfigProblem> sorted() {
    return found.stream().sorted(Comparator.comparingInt(ConfigProblem::line)).toList();
  }
}
