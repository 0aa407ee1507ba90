package dev.mcpbus.ai;

import dev.mcpbus.bus.RoutingName;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.NearWords;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The tools in a response of {@code mcp.tools.list}, under their routing names, in the same order.
 * Immutable.
 */
@PublicApi
public final class ModelTools {

  private final List<ModelTool> tools;
  private final List<JsonObject> problems;

  private ModelTools(List<ModelTool> tools, List<JsonObject> problems) {
    this.tools = List.copyOf(tools);
    this.problems = List.copyOf(problems);
  }

  /**
   * @param listed the result of {@code mcp.tools.list}
   * @param schemas replace the servers' schemas, by routing name, {@code server.tool} or the tool's
   *     own name
   */
  static ModelTools of(JsonObject listed, Map<String, JsonObject> schemas) {
    Map<ToolName, JsonObject> definitions = new LinkedHashMap<>();
    for (Object one : listed.getJsonArray("tools", new JsonArray())) {
      JsonObject definition = (JsonObject) one;
      toolOf(definition).ifPresent(tool -> definitions.put(tool, definition));
    }
    List<JsonObject> problems = new ArrayList<>();
    if (listed.getValue("_meta") instanceof JsonObject meta) {
      meta.getJsonArray(MetaKeys.PROBLEMS, new JsonArray())
          .forEach(problem -> problems.add((JsonObject) problem));
    }
    RoutingTable table = RoutingTable.of(definitions.keySet());
    table.collisions().forEach((name, same) -> same.forEach(t -> problems.add(shared(name, t))));
    Set<String> unused = new LinkedHashSet<>(schemas.keySet());
    List<ModelTool> tools = new ArrayList<>();
    table
        .tools()
        .forEach(
            (name, tool) -> {
              JsonObject own = definitions.getOrDefault(tool, new JsonObject());
              JsonObject wanted = own.getJsonObject("inputSchema", new JsonObject());
              for (String key : keys(name, tool)) {
                unused.remove(key);
                wanted = schemas.getOrDefault(key, wanted);
              }
              tools.add(new ModelTool(name, tool, own.copy().put("name", tool.tool()), wanted));
            });
    unused.forEach(
        name -> problems.add(problem("", name, "no tool for this entry of \"schemas\"")));
    return new ModelTools(tools, problems);
  }

  /** What an entry of {@code schemas} may call the tool, the most exact last. */
  private static List<String> keys(String name, ToolName tool) {
    return List.of(tool.tool(), tool.toString(), name);
  }

  /**
   * The mistake of entries of {@code schemas} that name no tool, with the tools that they may mean;
   * empty if each names one.
   *
   * @param unlisted ids of servers whose tools are not known yet: a name that may be one of theirs
   *     is no mistake
   */
  String strangers(Set<String> schemas, Collection<String> unlisted) {
    Set<String> known = new LinkedHashSet<>();
    tools.forEach(tool -> known.addAll(keys(tool.name(), tool.tool())));
    return schemas.stream()
        .filter(name -> !known.contains(name) && !mayBeOf(unlisted, name))
        .map(name -> "no tool has the name '" + name + "'" + NearWords.question(name, known))
        .collect(Collectors.joining("; "));
  }

  private static boolean mayBeOf(Collection<String> unlisted, String name) {
    Optional<ToolName> of =
        RoutingName.isHashed(name)
            ? Optional.empty()
            : RoutingName.parse(name).or(() -> ToolName.parse(name));
    return of.isEmpty() ? !unlisted.isEmpty() : unlisted.contains(of.get().server());
  }

  /** The tools that {@code names} names, as {@code schemas} does; all problems stay. */
  ModelTools named(Set<String> names) {
    return new ModelTools(
        tools.stream()
            .filter(tool -> keys(tool.name(), tool.tool()).stream().anyMatch(names::contains))
            .toList(),
        problems);
  }

  private static Optional<ToolName> toolOf(JsonObject definition) {
    String name = definition.getString("name", "");
    boolean marked =
        definition.getValue("_meta") instanceof JsonObject meta
            && meta.getValue(MetaKeys.SERVER) instanceof String;
    return marked ? ToolName.parse(name) : Optional.empty();
  }

  private static JsonObject shared(String name, ToolName tool) {
    return problem(
        tool.server(), tool.tool(), "it would share the name '" + name + "' with another tool");
  }

  static JsonObject problem(String server, String name, String reason) {
    return new JsonObject().put("server", server).put("name", name).put("reason", reason);
  }

  /** Keeps these tools and drops all problems: a problem names its tool, which may be hidden. */
  ModelTools only(Predicate<ToolName> wanted) {
    return new ModelTools(
        tools.stream().filter(tool -> wanted.test(tool.tool())).toList(), List.of());
  }

  /**
   * These tools as a program offers them: filtered, under its names and texts.
   *
   * @throws IllegalStateException if two would have the same name
   */
  ModelTools offered(FrameworkOptions options) {
    Map<String, ModelTool> byName = new LinkedHashMap<>();
    Stream<ModelTool> mapped = tools.stream().filter(options::wants).map(options::mapped);
    Stream<ModelTool> more =
        options.settings.resources() ? ResourceTools.OFFERED.stream() : Stream.empty();
    Stream.concat(mapped, more)
        .forEach(
            tool -> {
              ModelTool other = byName.putIfAbsent(tool.name(), tool);
              if (other != null) {
                throw new IllegalStateException(
                    "\"%s\" would be the name of two tools, %s and %s"
                        .formatted(tool.name(), other.tool(), tool.tool()));
              }
            });
    return new ModelTools(List.copyOf(byName.values()), problems);
  }

  public List<ModelTool> all() {
    return tools;
  }

  public Optional<ModelTool> find(String name) {
    return tools.stream().filter(tool -> tool.name().equals(name)).findFirst();
  }

  /** The tools that are left out, each {@code {server, name, reason}}. */
  public List<JsonObject> problems() {
    return problems;
  }

  /** Routing names with {@code {server, tool}}, for callers that route by themselves. */
  JsonObject routes() {
    JsonObject routes = new JsonObject();
    for (ModelTool tool : tools) {
      routes.put(
          tool.name(),
          new JsonObject().put("server", tool.tool().server()).put("tool", tool.tool().tool()));
    }
    return routes;
  }
}
