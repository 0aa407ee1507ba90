package dev.mcpbus.testing;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.server.RawServer;
import dev.mcpbus.server.RequestException;
import dev.mcpbus.server.ToolResult;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.memory.InMemoryTransport;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * An MCP server in memory for tests of programs that embed mcpbus: it answers as a test says, and
 * remembers what it was sent. It speaks both eras. Any thread may call.
 *
 * <pre>{@code
 * FakeMcpServer git = FakeMcpServer.create(vertx, "git").tool("status", "clean");
 * bus.add("git", git.transport())
 *     .compose(added -> bus.awaitReady(Duration.ofSeconds(5), "git"))
 *     .compose(ready -> bus.server("git").callTool("status", Map.of("path", ".")))
 *     .onSuccess(result -> git.assertCalled("status", new JsonObject().put("path", ".")));
 * }</pre>
 */
@PublicApi
public final class FakeMcpServer {

  private final RawServer server;
  private final InMemoryTransport transport;
  private final Map<String, ToolScript> tools = new ConcurrentHashMap<>();
  private final Map<String, JsonObject> resources = new ConcurrentHashMap<>();
  private final Map<String, String> prompts = new ConcurrentHashMap<>();
  private final List<RecordedRequest> requests = new CopyOnWriteArrayList<>();
  private final List<RecordedRequest> open = new CopyOnWriteArrayList<>();
  private final Set<Channel> clients = ConcurrentHashMap.newKeySet();
  private volatile Function<Duration, Future<Void>> time;
  private volatile boolean refusing;
  private volatile boolean frozen;
  private volatile boolean replays;

  private FakeMcpServer(Vertx vertx, String name, String version) {
    this.time =
        delay ->
            delay.isZero() ? Future.succeededFuture() : vertx.timer(Math.max(1, delay.toMillis()));
    this.server =
        RawServer.of(name, version)
            .wrap(
                inner ->
                    (request, input) -> {
                      RecordedRequest came =
                          new RecordedRequest(
                              request.method(), request.params().copy(), request.principal());
                      requests.add(came);
                      open.add(came);
                      request.cancelled().onComplete(over -> open.remove(came));
                      return inner.handle(request, input).onComplete(end -> open.remove(came));
                    });
    this.transport = new InMemoryTransport(name, vertx.getOrCreateContext(), this::accept);
  }

  /** A server without tools; delays run in real time. */
  public static FakeMcpServer create(Vertx vertx, String name) {
    FakeMcpServer fake = new FakeMcpServer(vertx, name, "1.0");
    fake.server
        .handle("resources/list", (request, params) -> list("resources", fake.resources.values()))
        .handle("resources/read", (request, params) -> fake.read(params.getString("uri", "")))
        .handle("prompts/list", (request, params) -> list("prompts", fake.promptDefinitions()))
        .handle("prompts/get", (request, params) -> fake.prompt(params.getString("name", "")));
    return fake;
  }

  /**
   * A server that answers as a real one did when {@code mcpbus record} recorded it: with its name,
   * versions and capabilities, its lists, and the same answer for the same method and params, with
   * the notifications that came before. Answers that differed come in their order, the last one
   * from then on. A value that was masked as a secret stands for any. A request that is not in the
   * recording is refused with the nearest that is. It has no tools, resources and prompts of its
   * own. Blocks for the file.
   *
   * @throws IllegalArgumentException if the file cannot be read, or is no recording
   */
  public static FakeMcpServer replay(Vertx vertx, Path file) {
    Recording recording = Recording.read(file);
    FakeMcpServer fake = new FakeMcpServer(vertx, recording.name(), recording.version());
    recording.play(fake.server);
    fake.replays = true;
    return fake;
  }

  private Channel.Receiver accept(Channel channel) {
    if (refusing) {
      throw new IllegalStateException("this fake server refuses connections");
    }
    clients.add(channel);
    Channel.Receiver session = server.accept(channel);
    return new Channel.Receiver() {
      @Override
      public void onMessage(Envelope message) {
        if (!frozen) {
          session.onMessage(message);
        }
      }

      @Override
      public void onRequestFailed(long id, TransportException reason) {
        session.onRequestFailed(id, reason);
      }

      @Override
      public void onClosed(TransportException reason) {
        session.onClosed(reason);
      }
    };
  }

  /** The way to this server, for {@code McpBus.add}. */
  public Transport transport() {
    return transport;
  }

  /** Delays end when the test moves {@code fake}. */
  public FakeMcpServer withTime(FakeTime fake) {
    time = fake::after;
    return this;
  }

  /** Speaks these versions alone. Before a client connects; so are {@link #without}. */
  public FakeMcpServer versions(ProtocolVersion... only) {
    server.versions(only);
    return this;
  }

  /** Announces a capability no more, such as {@code prompts}, and refuses its methods. */
  public FakeMcpServer without(String capability) {
    server.withoutCapability(capability);
    return this;
  }

  private void requireScripted() {
    if (replays) {
      throw new IllegalStateException(
          "this fake server replays a recording, which alone says what it has; FakeMcpServer.create"
              + " makes one that takes tools, resources and prompts");
    }
  }

  /**
   * A tool that does what the script says. A tool of that name gets the new steps and answer, and
   * keeps its definition.
   */
  public FakeMcpServer tool(String name, ToolScript script) {
    requireScripted();
    ToolScript present = tools.putIfAbsent(name, script);
    if (present == null) {
      server.tool(
          script.definition(name), (request, arguments) -> script.call(request, arguments, time));
    } else {
      present.become(script);
    }
    return this;
  }

  /** A tool that answers with one text. */
  public FakeMcpServer tool(String name, String text) {
    return tool(name, ToolScript.of().text(text));
  }

  /**
   * A tool that computes its result.
   *
   * @param answer from the arguments to a {@code CallToolResult}, see {@link ToolResult}; what it
   *     throws becomes a failed result
   */
  public FakeMcpServer tool(String name, Function<JsonObject, JsonObject> answer) {
    return tool(
        name,
        ToolScript.of()
            .answer((arguments, answers) -> Future.succeededFuture(answer.apply(arguments))));
  }

  /**
   * A tool with a schema.
   *
   * @param inputSchema JSON schema of the arguments, which are checked before the tool is called
   */
  public FakeMcpServer tool(
      String name, JsonObject inputSchema, Function<JsonObject, Future<JsonObject>> answer) {
    return tool(
        name,
        ToolScript.of()
            .define("inputSchema", inputSchema)
            .answer((arguments, answers) -> answer.apply(arguments)));
  }

  /** A tool that runs and fails: its result has {@code isError}. */
  public FakeMcpServer failingTool(String name, String message) {
    return tool(name, ToolScript.of().error(message));
  }

  /** A tool whose call is answered with a JSON-RPC error. */
  public FakeMcpServer refusingTool(String name, int code, String message) {
    return tool(name, ToolScript.of().refuse(code, message));
  }

  /** Removes a tool; clients are notified. */
  public FakeMcpServer removeTool(String name) {
    requireScripted();
    tools.remove(name);
    server.removeTool(name);
    return this;
  }

  /** Delays each answer of a tool. */
  public FakeMcpServer delay(String tool, Duration delay) {
    script(tool).delay(delay);
    return this;
  }

  /** Keeps calls of a tool without an answer until {@link #release}. */
  public FakeMcpServer hold(String tool) {
    script(tool).hold();
    return this;
  }

  /** Answers the calls that are held, and calls from now on. */
  public FakeMcpServer release(String tool) {
    script(tool).release();
    return this;
  }

  private ToolScript script(String tool) {
    ToolScript script = tools.get(tool);
    if (script == null) {
      throw new IllegalArgumentException(
          "this fake server has no tool \"" + tool + "\"; it has " + tools.keySet());
    }
    return script;
  }

  /**
   * A resource with one text; clients are notified. One that is there gets the new text, and the
   * clients that subscribed to it are notified.
   */
  public FakeMcpServer resource(String uri, String mimeType, String text) {
    requireScripted();
    JsonObject before =
        resources.put(
            uri,
            new JsonObject()
                .put("uri", uri)
                .put("name", uri)
                .put("mimeType", mimeType)
                .put("text", text));
    return before == null
        ? send(Methods.RESOURCES_CHANGED, new JsonObject())
        : send(Methods.RESOURCE_UPDATED, new JsonObject().put("uri", uri));
  }

  /** A prompt of one message of the user; clients are notified. */
  public FakeMcpServer prompt(String name, String text) {
    requireScripted();
    prompts.put(name, text);
    return send(Methods.PROMPTS_CHANGED, new JsonObject());
  }

  /** Sends any notification to all clients, by the rules of {@link RawServer#notifyClients}. */
  public FakeMcpServer send(String method, JsonObject params) {
    server.notifyClients(method, params);
    return this;
  }

  /** Closes every connection, as a server that has crashed; clients may connect again. */
  public Future<Void> disconnect() {
    List<Future<Void>> closing = clients.stream().map(Channel::close).toList();
    clients.clear();
    return Future.join(closing).mapEmpty();
  }

  /** Whether new connections are refused, as of a server that is down. */
  public FakeMcpServer refuseConnections(boolean refuse) {
    refusing = refuse;
    return this;
  }

  /** Whether it ignores whatever clients send, pings too, as a server that hangs. */
  public FakeMcpServer freeze(boolean freeze) {
    frozen = freeze;
    return this;
  }

  /** Every request of a client for a tool, a resource or a prompt, in the order of arrival. */
  public List<RecordedRequest> requests() {
    return List.copyOf(requests);
  }

  /** The requests that have no answer yet. */
  public List<RecordedRequest> openRequests() {
    return List.copyOf(open);
  }

  /** How many clients are connected. */
  public int connections() {
    return server.sessions().size();
  }

  /** The arguments of each call of a tool, in the order of arrival. */
  public List<JsonObject> calls(String tool) {
    return calls()
        .filter(call -> call.subject().equals(tool))
        .map(RecordedRequest::arguments)
        .toList();
  }

  private Stream<RecordedRequest> calls() {
    return requests.stream().filter(request -> request.method().equals("tools/call"));
  }

  /** Forgets the requests so far. */
  public void forgetRequests() {
    requests.clear();
  }

  /** Throws where no call of the tool has come. */
  public void assertCalled(String tool) {
    check(!calls(tool).isEmpty(), () -> "the tool \"" + tool + "\" was not called");
  }

  /** Throws where no call of the tool has come with exactly these arguments. */
  public void assertCalled(String tool, JsonObject arguments) {
    check(
        calls(tool).contains(arguments),
        () -> "the tool \"" + tool + "\" was not called with " + arguments.encode());
  }

  /** Throws unless so many calls of the tool have come. */
  public void assertCalls(String tool, int expected) {
    int came = calls(tool).size();
    check(
        came == expected,
        () -> "the tool \"" + tool + "\" was called " + came + " times, not " + expected);
  }

  /** Throws where a call of the tool has come. */
  public void assertNotCalled(String tool) {
    check(calls(tool).isEmpty(), () -> "the tool \"" + tool + "\" was called");
  }

  private void check(boolean fine, Supplier<String> problem) {
    if (!fine) {
      List<String> came = calls().map(RecordedRequest::toString).toList();
      throw new AssertionError(
          problem.get()
              + "; calls so far:"
              + (came.isEmpty() ? " none" : "\n  " + String.join("\n  ", came)));
    }
  }

  private static Future<JsonObject> list(String kind, Collection<JsonObject> items) {
    JsonArray shown = new JsonArray();
    items.forEach(
        item -> {
          JsonObject copy = item.copy();
          copy.remove("text");
          shown.add(copy);
        });
    return Future.succeededFuture(new JsonObject().put(kind, shown));
  }

  private List<JsonObject> promptDefinitions() {
    return prompts.keySet().stream().map(name -> new JsonObject().put("name", name)).toList();
  }

  private Future<JsonObject> read(String uri) {
    JsonObject resource = resources.get(uri);
    return resource == null
        ? Future.failedFuture(RequestException.invalid("no resource " + uri))
        : Future.succeededFuture(
            new JsonObject().put("contents", new JsonArray().add(resource.copy())));
  }

  private Future<JsonObject> prompt(String name) {
    String text = prompts.get(name);
    return text == null
        ? Future.failedFuture(RequestException.invalid("no prompt " + name))
        : Future.succeededFuture(
            new JsonObject()
                .put(
                    "messages",
                    new JsonArray()
                        .add(
                            new JsonObject()
                                .put("role", "user")
                                .put(
                                    "content",
                                    new JsonObject().put("type", "text").put("text", text)))));
  }
}
