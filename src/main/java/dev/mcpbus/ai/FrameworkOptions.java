package dev.mcpbus.ai;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.json.JsonObject;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a framework offers to its model, and how it calls. Immutable: begin with {@link #DEFAULT},
 * each {@code with} method gives a copy. The program's functions run on the thread that lists or
 * calls, the handlers of progress and of log messages on a worker thread, in order.
 */
@PublicApi
public final class FrameworkOptions {

  record FrameworkSettings(
      List<String> servers,
      @Nullable Duration timeout,
      Duration patience,
      boolean allServers,
      Map<String, JsonObject> schemas,
      Predicate<ModelTool> filter,
      Function<ModelTool, String> names,
      @Nullable Function<ModelTool, String> descriptions,
      boolean resources,
      Function<ToolOutput, String> text,
      @Nullable BiConsumer<ModelTool, JsonObject> progress,
      @Nullable Consumer<JsonObject> log) {

    FrameworkSettings {
      servers = List.copyOf(servers);
      schemas = Map.copyOf(schemas);
    }
  }

  /** All tools of all servers, their own texts and schemas, the connections' time-outs. */
  public static final FrameworkOptions DEFAULT =
      new FrameworkOptions(
          new FrameworkSettings(
              List.of(),
              null,
              Duration.ofSeconds(10),
              false,
              Map.of(),
              tool -> true,
              ModelTool::name,
              null,
              false,
              ToolOutput::text,
              null,
              null));

  final FrameworkSettings settings;

  private FrameworkOptions(FrameworkSettings settings) {
    this.settings = settings;
  }

  private FrameworkOptions with(String name, Object value) {
    return new FrameworkOptions(RecordCopy.with(settings, name, value));
  }

  /**
   * The servers whose tools and resources are offered, by id or name as written; none for all.
   *
   * @throws IllegalArgumentException if no server can have that name
   */
  public FrameworkOptions withServers(String... names) {
    return with("servers", Stream.of(names).map(FrameworkOptions::id).toList());
  }

  private static String id(String name) {
    return ConnectionId.named(name)
        .map(ConnectionId::value)
        .orElseThrow(() -> new IllegalArgumentException("no server has the name '" + name + "'"));
  }

  /** How long a call may take, at least 1 ms. Default: the request time-out of the connection. */
  public FrameworkOptions withTimeout(Duration value) {
    CallOptions.timeout(value); // refuses what is no time-out of a call
    return with("timeout", value);
  }

  /**
   * How long a list waits for servers that connect for the first time, for example one that was
   * just added; default 10 s, zero for no wait. A server that uses up the time is not waited for
   * again for 5 min, or until it has connected.
   */
  public FrameworkOptions withPatience(Duration value) {
    return with("patience", value);
  }

  /**
   * With {@code true} a list fails with {@code UNAVAILABLE} where one of the servers is not ready
   * after {@link #withPatience}; the message names each with its reason. Default: it has the tools
   * of the others.
   */
  public FrameworkOptions withFailIfOneServerFails(boolean value) {
    return with("allServers", value);
  }

  /**
   * @param values replace the servers' schemas, by routing name, {@code server.tool} or the tool's
   *     own name. All tools stay, unlike with {@code schemas} of {@code mcp.tools.functions}. A
   *     list fails with an {@code IllegalArgumentException} if a name is that of no tool, unless
   *     its server has not listed its tools yet
   */
  public FrameworkOptions withSchemas(Map<String, JsonObject> values) {
    return with("schemas", values);
  }

  /** The tools that are offered. Asked with the servers' own texts, before names are mapped. */
  public FrameworkOptions withFilter(Predicate<ModelTool> value) {
    return with("filter", value);
  }

  /**
   * The names by which the model knows the tools, in place of {@code server__tool}. A list in which
   * two tools have one name, or one has none, fails with an {@code IllegalStateException}.
   */
  public FrameworkOptions withNames(Function<ModelTool, String> value) {
    return with("names", value);
  }

  /**
   * The texts by which the model knows the tools, in place of the servers' own. A list in which a
   * tool gets none fails with an {@code IllegalStateException}.
   */
  public FrameworkOptions withDescriptions(Function<ModelTool, String> value) {
    return with("descriptions", value);
  }

  /**
   * With {@code true} the model also gets the tools {@code list_resources} and {@code
   * get_resource}, which list and read the servers' resources. Filter and mappings do not see them.
   */
  public FrameworkOptions withResourcesAsTools(boolean value) {
    return with("resources", value);
  }

  /** What the model reads of a result. Default: {@link ToolOutput#text()}. */
  public FrameworkOptions withText(Function<ToolOutput, String> value) {
    return with("text", value);
  }

  /**
   * @param handler gets the tool, and {@code progress}, {@code total} and {@code message} as the
   *     server sent them. Since it has a thread of its own, the last one may come after the result
   */
  public FrameworkOptions withProgress(BiConsumer<ModelTool, JsonObject> handler) {
    return with("progress", handler);
  }

  /**
   * @param handler gets the log messages of the offered servers, as events: {@code id} of the
   *     server, {@code params} with {@code level}, {@code logger} and {@code data}
   */
  public FrameworkOptions withLog(Consumer<JsonObject> handler) {
    return with("log", handler);
  }

  boolean offers(String server) {
    return settings.servers.isEmpty() || settings.servers.contains(server);
  }

  boolean wants(ModelTool tool) {
    return settings.filter.test(tool);
  }

  /** The tool under the name and the text that the program gives it. */
  ModelTool mapped(ModelTool tool) {
    Function<ModelTool, String> descriptions = settings.descriptions;
    JsonObject definition =
        descriptions == null
            ? tool.definition()
            : tool.definition()
                .copy()
                .put("description", given("withDescriptions", tool, descriptions));
    return new ModelTool(
        given("withNames", tool, settings.names), tool.tool(), definition, tool.schema());
  }

  private static String given(String option, ModelTool tool, Function<ModelTool, String> function) {
    @Nullable String text = function.apply(tool);
    if (text == null) {
      throw new IllegalStateException(
          "the function of " + option + " gave null for the tool " + tool.tool());
    }
    return text;
  }

  String text(ToolOutput output) {
    return Objects.requireNonNull(
        settings.text.apply(output), "the function of withText gave null for a result");
  }

  /** What differs from {@link #DEFAULT}; of schemas and functions that they are set. */
  @Override
  public String toString() {
    Map<String, @Nullable Object> shown = new LinkedHashMap<>();
    for (RecordComponent each : RecordCopy.components(FrameworkSettings.class)) {
      Object value = RecordCopy.get(settings, each);
      if (!Objects.equals(value, RecordCopy.get(DEFAULT.settings, each))) {
        boolean plain =
            value instanceof List<?> || value instanceof Duration || value instanceof Boolean;
        shown.put(
            each.getName(), plain ? value : value instanceof Map<?, ?> map ? map.keySet() : "set");
      }
    }
    return "framework options " + shown;
  }
}
