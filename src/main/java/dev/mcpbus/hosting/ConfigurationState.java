package dev.mcpbus.hosting;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.config.ConfigProblem;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a node: which file, when it was read, and what is wrong with it now.
 * Immutable.
 *
 * @param file as the user named it; null if a program has given the configuration
 * @param loadedAt when what runs was read
 * @param brokenSince since when the file on disk cannot be used, so that what was read before stays
 *     in force; null if it can
 * @param atLoad the mistakes of the servers that were left out when the file was read
 * @param problems the mistakes in the file as it is now
 */
public record ConfigurationState(
    @Nullable String file,
    Instant loadedAt,
    @Nullable Instant brokenSince,
    List<ConfigProblem> atLoad,
    List<ConfigProblem> problems) {

  public ConfigurationState {
    atLoad = List.copyOf(atLoad);
    problems = List.copyOf(problems);
  }

  /**
   * The file has been read, and what it says is in force.
   *
   * @param problems of the servers that are left out
   */
  public static ConfigurationState loaded(
      @Nullable String file, Instant now, List<ConfigProblem> problems) {
    return new ConfigurationState(file, now, null, problems, problems);
  }

  /** The file has changed and cannot be used. */
  public ConfigurationState broken(Instant now, List<ConfigProblem> found) {
    return new ConfigurationState(
        file, loadedAt, brokenSince == null ? now : brokenSince, atLoad, found);
  }

  /**
   * The servers that the file names and that do not run, with their mistakes as they are now. The
   * list is empty for a server whose own entry has been mended while others have mistakes.
   *
   * @param running a server that runs is not left out, even if its entry is broken now
   */
  public Map<String, List<ConfigProblem>> leftOut(Collection<ConnectionId> running) {
    Map<String, List<ConfigProblem>> left = new LinkedHashMap<>();
    Stream.concat(atLoad.stream(), problems.stream())
        .filter(problem -> problem.server() != null)
        .forEach(problem -> left.putIfAbsent(id(problem), new ArrayList<>()));
    running.forEach(id -> left.remove(id.value()));
    for (ConfigProblem problem : problems) {
      List<ConfigProblem> own = problem.server() == null ? null : left.get(id(problem));
      if (own != null) {
        own.add(problem);
      }
    }
    return left;
  }

  private static String id(ConfigProblem problem) {
    return problem.serverId();
  }

  /** For callers of a server that is left out: why, and what to do; by id. */
  public Map<String, String> reasons() {
    Map<String, String> reasons = new LinkedHashMap<>();
    leftOut(List.of())
        .forEach(
            (id, own) -> {
              ConfigProblem first = own.isEmpty() ? problems.get(0) : own.get(0);
              String other = own.isEmpty() ? "another entry has a mistake, " : "";
              reasons.put(
                  id,
                  "server '"
                      + id
                      + "' is left out of "
                      + name()
                      + ": "
                      + other
                      + text(first)
                      + remedy());
            });
    return reasons;
  }

  private String name() {
    return file == null ? "the configuration" : file;
  }

  private String remedy() {
    return file == null ? "" : "; mend the file, mcpbus reads it again by itself";
  }

  private static String text(ConfigProblem problem) {
    return (problem.line() > 0 ? "line " + problem.line() + ": " : "")
        + problem.message()
        + ". "
        + problem.remedy();
  }

  /** What people should know of a node that serves: a broken file, servers that are left out. */
  public List<String> notes(Collection<ConnectionId> running) {
    List<String> notes = new ArrayList<>();
    if (brokenSince != null) {
      notes.add(name() + " is broken since " + brokenSince + "; what was read before is in force");
    }
    Map<String, String> reasons = reasons();
    leftOut(running).keySet().forEach(id -> notes.add(String.valueOf(reasons.get(id))));
    return notes;
  }

  /** {@code [{id, problems: [{file, line, column, message, remedy, fatal, server?}]}]}. */
  public JsonArray leftOutJson(Collection<ConnectionId> running) {
    JsonArray all = new JsonArray();
    leftOut(running)
        .forEach((id, own) -> all.add(new JsonObject().put("id", id).put("problems", toJson(own))));
    return all;
  }

  /** {@code {file?, loadedAt, brokenSince?, problems, leftOut}}. */
  public JsonObject toJson(Collection<ConnectionId> running) {
    JsonObject json = new JsonObject();
    if (file != null) {
      json.put("file", file);
    }
    json.put("loadedAt", loadedAt.toString());
    if (brokenSince != null) {
      json.put("brokenSince", brokenSince.toString());
    }
    return json.put("problems", toJson(problems)).put("leftOut", leftOutJson(running));
  }

  private static JsonArray toJson(List<ConfigProblem> problems) {
    JsonArray all = new JsonArray();
    for (ConfigProblem problem : problems) {
      JsonObject one =
          new JsonObject()
              .put("file", problem.file())
              .put("line", problem.line())
              .put("column", problem.column())
              .put("message", problem.message())
              .put("remedy", problem.remedy())
              .put("fatal", problem.fatal());
      all.add(problem.server() == null ? one : one.put("server", problem.server()));
    }
    return all;
  }
}
