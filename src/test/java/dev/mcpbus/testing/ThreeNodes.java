package dev.mcpbus.testing;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.awaitility.Awaitility;

/**
 * Three processes of the jar, with servers of both eras: {@code own} is of the {@code initialize}
 * era and gives each client a connection, {@code notes} too, and keeps what its client has added;
 * {@code modern} is of the other era, and {@code e0}, {@code e1}, ... are small, shared, and write
 * down what they execute.
 */
public final class ThreeNodes implements AutoCloseable {

  public static final List<String> NODES = List.of("n1", "n2", "n3");
  public static final int ECHOS = 8;
  public static final JsonObject NOTHING = new JsonObject();

  /** Of a client that can be asked. */
  public static final JsonObject ASKED =
      new JsonObject().put("elicitation", new JsonObject()).put("sampling", new JsonObject());

  /** What fits the form of {@code test_elicitation}. */
  public static final JsonObject ACCEPTED =
      new JsonObject()
          .put("action", "accept")
          .put("content", new JsonObject().put("username", "Ada").put("email", "a@b.c"));

  private final Path folder;
  private final Fixture fixture;
  private final ClusterBed bed;

  public ThreeNodes(Path folder) {
    this.folder = folder;
    this.fixture = new Fixture(folder);
    this.bed = new ClusterBed(folder, NODES.size());
    JsonObject servers =
        new JsonObject()
            .put("own", fixture.entry("legacy", "stdio"))
            .put("modern", fixture.entry("modern", "stdio"))
            .put("notes", NpmServers.own("notes-server.mjs"));
    for (int i = 0; i < ECHOS; i++) {
      servers.put("e" + i, EchoServer.shell(executed("e" + i).toString()).put("shared", true));
    }
    try {
      NODES.forEach(node -> bed.start(node, servers));
      NODES.forEach(node -> bed.settled(node(node), servers.size(), new HashSet<>(NODES)));
    } catch (RuntimeException | AssertionError failed) {
      close();
      throw failed;
    }
  }

  public ServiceProcess node(String node) {
    return bed.node(node);
  }

  public int port(String node) {
    return node(node).port();
  }

  public List<Integer> ports() {
    return NODES.stream().map(this::port).toList();
  }

  /** A client of one node alone. */
  public McpHttp at(String node, String path) {
    return new McpHttp(port(node), path);
  }

  /** Waits until these nodes own everything. */
  public void settled(String from, Set<String> owners) {
    bed.settled(node(from), ECHOS + 3, owners);
  }

  /** One of the small servers, owned by one of those. */
  public String ownedBy(Set<String> nodes) {
    Map<String, JsonObject> statuses = ClusterBed.statuses(node("n1"));
    return statuses.entrySet().stream()
        .filter(one -> one.getKey().startsWith("e"))
        .filter(one -> nodes.contains(one.getValue().getString("node")))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElseThrow();
  }

  private Path executed(String server) {
    return folder.resolve(server + ".txt");
  }

  /** How often a small server has executed a call of that name. */
  public long executed(String server, String call) {
    try {
      return Files.readAllLines(executed(server)).stream()
          .filter(line -> line.startsWith(call + " "))
          .count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What {@code test_wait} of that name has reported. */
  public String notes(String name) {
    return fixture.notes(name);
  }

  public static JsonObject call(String tool, JsonObject arguments) {
    return new JsonObject().put("name", tool).put("arguments", arguments);
  }

  /** A call whose server asks its client. */
  public static JsonObject asking(String tool) {
    return call(tool, new JsonObject().put("message", "Who?"));
  }

  public static JsonObject questionOf(McpHttp.Stream stream) {
    return Awaitility.await("a question")
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                stream.messages().stream()
                    .filter(one -> "elicitation/create".equals(one.getString("method")))
                    .findFirst()
                    .orElse(NOTHING),
            one -> !one.isEmpty());
  }

  public static String lastId(McpHttp.Stream stream) {
    return stream.events().stream()
        .map(McpHttp.Event::id)
        .filter(id -> id != null)
        .reduce((first, second) -> second)
        .orElseThrow();
  }

  public static JsonObject last(McpHttp.Stream stream) {
    List<JsonObject> all = stream.messages();
    return all.get(all.size() - 1);
  }

  @Override
  public void close() {
    bed.close();
    fixture.close();
  }
}
