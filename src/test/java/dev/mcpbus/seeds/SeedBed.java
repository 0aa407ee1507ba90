package dev.mcpbus.seeds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.McpBus;
import dev.mcpbus.Servers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.cli.CommandRun;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.McpServerClient;
import dev.mcpbus.server.RawServer;
import dev.mcpbus.testing.FakeMcpServer;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A running bus with a bridge, in which the rows of one document are tried. It notes by which
 * addresses, methods of the facade, keys and events: a row that names one and does not use it
 * fails. What a row has made ends with it.
 */
final class SeedBed implements AutoCloseable {

  static final CallOptions PLAIN = CallOptions.DEFAULT;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Set<String> WHOLE = Words.addresses();

  private final TestBus bus;
  private final Set<String> used = ConcurrentHashMap.newKeySet();
  private final List<Callable<Future<?>>> ends = new ArrayList<>();
  private int servers;

  private SeedBed(TestBus bus) {
    this.bus = bus;
  }

  static SeedBed start() {
    return new SeedBed(TestBus.startWithBridge(new JsonObject()));
  }

  /** Tries a row, and fails where it has not used what it names. */
  void prove(Row row) throws Exception {
    used.clear();
    try {
      row.trial().run(this);
    } finally {
      for (Callable<Future<?>> end : ends) {
        get(end.call());
      }
      ends.clear();
      for (String left : get(bus.bus().client().listServers())) {
        get(bus.bus().client().removeServer(left));
      }
    }
    assertThat(used).as("what the row names and has used").containsAll(row.addresses());
    assertThat(used)
        .as("what the row names and has used")
        .containsAll(row.places().stream().filter(Words::isUsed).toList());
  }

  // The bus.

  Vertx vertx() {
    return bus.vertx();
  }

  McpBus bus() {
    return bus.bus();
  }

  /** Sends to an address, and waits for the answer. */
  JsonObject ask(String address, JsonObject body) {
    note(address);
    return bus.request(address, body);
  }

  JsonObject ask(String address, String body) {
    return ask(address, json(body));
  }

  JsonObject ask(String address) {
    return ask(address, new JsonObject());
  }

  /** Sends to an address, and does not wait. */
  Future<JsonObject> send(String address, String body, DeliveryOptions options) {
    note(address);
    return bus.send(address, json(body), options);
  }

  /** The failure that an address must answer with. */
  McpFailure refused(String address, String body) {
    note(address);
    return bus.failure(address, json(body));
  }

  /** What is published or sent to an address from now on. */
  List<JsonObject> hear(String address) {
    return hear(vertx(), address);
  }

  List<JsonObject> hear(Vertx other, String address) {
    note(address);
    List<JsonObject> heard = new CopyOnWriteArrayList<>();
    var consumer =
        other
            .eventBus()
            .<JsonObject>consumer(
                address,
                message -> {
                  used.add(message.body().getString("type", ""));
                  heard.add(message.body());
                });
    get(consumer.completion());
    ends.add(consumer::unregister);
    return heard;
  }

  /** Answers what is sent to an address. */
  void answer(String address, JsonObject answer) {
    note(address);
    var consumer =
        vertx().eventBus().<JsonObject>consumer(address, message -> message.reply(answer));
    get(consumer.completion());
    ends.add(consumer::unregister);
  }

  private void note(String address) {
    String[] parts = address.split("\\.", 3);
    used.add(WHOLE.contains(address) ? address : "mcp.<id>." + parts[parts.length - 1]);
  }

  /** A request to the bridge. */
  JsonObject post(String path, String body) {
    used.add("POST " + path);
    return Http.post(bus.port(), path, json(body).encode()).json();
  }

  /** A command line, run to its end. */
  CommandRun command(String... args) {
    used.addAll(List.of(args));
    return new CommandRun(args);
  }

  // The facade.

  /** A client of the row's own. */
  McpClient client() {
    McpClient client = McpClient.create(vertx());
    ends.add(client::close);
    return noting(McpClient.class, "client.", client);
  }

  /** The client of a bus beside. */
  McpClient client(McpBus other) {
    return noting(McpClient.class, "client.", other.client());
  }

  McpServerClient server(String id) {
    return client().server(id);
  }

  private <T> T noting(Class<T> type, String word, T target) {
    return noting(type, method -> used.add(word + method), this::noted, target);
  }

  /** The target, which tells the name of each method that is called. */
  static <T> T noting(Class<T> type, Consumer<String> notes, T target) {
    return noting(type, notes, UnaryOperator.identity(), target);
  }

  private static <T> T noting(
      Class<T> type, Consumer<String> notes, UnaryOperator<@Nullable Object> results, T target) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, args) -> {
              notes.accept(method.getName());
              try {
                return results.apply(method.invoke(target, args));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  private @Nullable Object noted(@Nullable Object result) {
    if (result instanceof McpServerClient server) {
      return noting(McpServerClient.class, "server.", server);
    }
    return result instanceof Future<?> future ? future.map(this::noted) : result;
  }

  // Servers.

  /** A fake server, which {@link #serve} adds. */
  FakeMcpServer fake() {
    return FakeMcpServer.create(vertx(), "fake");
  }

  /** Adds a server and waits until it is ready. */
  String serve(FakeMcpServer fake) {
    return serve(Servers.transport(fake.transport()));
  }

  String serve(RawServer server) {
    ends.add(server::close);
    return serve(Servers.transport(server.inMemory(vertx().getOrCreateContext())));
  }

  String serve(JsonObject entry) {
    return serve(Servers.fromJson(entry));
  }

  String serve(Servers entry) {
    String id = add(entry);
    get(bus().awaitReady(PATIENCE, id));
    return id;
  }

  /** Adds a server and does not wait. */
  String add(Servers entry) {
    String id = "s" + ++servers;
    uses(entry.toJson());
    get(bus().add(id, entry));
    return id;
  }

  /** The row uses these keys of a configuration. */
  void uses(JsonObject document) {
    document.forEach(
        member -> {
          used.add(member.getKey());
          if (member.getValue() instanceof JsonObject inner) {
            uses(inner);
          }
        });
  }

  /** A bus beside, for options of a row's own; it ends with the row. */
  McpBus apart(McpBus.Options options) {
    return apart(Vertx.vertx(), options);
  }

  McpBus apart(Vertx own, McpBus.Options options) {
    uses(options.toJson());
    ends.add(own::close);
    return get(McpBus.start(own, options));
  }

  /** Of a bus beside. */
  JsonObject ask(McpBus other, String address, String body) {
    note(address);
    return get(other.eventBus().<JsonObject>request(address, json(body))).body();
  }

  /** A file of the row's own. */
  Path file(String name, String text) {
    try {
      Path folder = Files.createTempDirectory("seed");
      Path file = Files.writeString(folder.resolve(name), text);
      ends.add(
          () -> {
            Files.delete(file);
            Files.delete(folder);
            return Future.succeededFuture();
          });
      return file;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // Waiting.

  static <T> T get(Future<T> future) {
    return TestBus.await(future);
  }

  static void until(Callable<Boolean> condition) {
    Awaitility.await().atMost(PATIENCE).until(condition);
  }

  /** The first event of a type among those that are heard. */
  static JsonObject first(List<JsonObject> heard, String type) {
    return Awaitility.await(type)
        .atMost(PATIENCE)
        .until(
            () -> heard.stream().filter(one -> type.equals(one.getString("type"))).findFirst(),
            Optional::isPresent)
        .orElseThrow();
  }

  void awaitState(String id, String... states) {
    bus.awaitState(id, states);
  }

  /** The failure with which a future must end. */
  static McpFailure refused(Future<?> future) {
    return McpFailure.of(
        get(
            future.transform(
                end ->
                    end.failed()
                        ? Future.succeededFuture(end.cause())
                        : Future.failedFuture(new AssertionError("it came to " + end.result())))));
  }

  /** JSON with single quotes. */
  static JsonObject json(String text) {
    return new JsonObject(text.replace('\'', '"'));
  }

  static JsonObject named(String id) {
    return new JsonObject().put("id", id);
  }

  static List<String> names(JsonObject list, String member) {
    return list.getJsonArray(member, new JsonArray()).stream()
        .map(one -> ((JsonObject) one).getString("name"))
        .toList();
  }

  /** The text of a tool's result. */
  static String text(JsonObject result) {
    return result.getJsonArray("content").getJsonObject(0).getString("text");
  }

  @Override
  public void close() {
    bus.close();
  }
}
