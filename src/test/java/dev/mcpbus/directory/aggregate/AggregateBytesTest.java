package dev.mcpbus.directory.aggregate;

import static dev.mcpbus.bus.BusTests.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.FakeConnection;
import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.directory.DirectoryVerticle;
import dev.mcpbus.testing.OpenAccess;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The bytes of the aggregate addresses, for servers that list well and badly. */
@ExtendWith(VertxExtension.class)
class AggregateBytesTest {

  private static final Path GOLDEN =
      Path.of("src", "test", "resources", "golden", "aggregate-lists.txt");

  private static final JsonObject NONE = new JsonObject();

  private static final String BAD_TOOLS =
      """
      {"tools":[1,null,{},{"name":"","inputSchema":{}},{"name":7},{"name":"no schema","inputSchema":7},\
      {"name":"schema","inputSchema":"x"},{"name":"t","inputSchema":{"type":"object"},"v":1},\
      {"name":"t","inputSchema":{"type":"object"},"v":2},{"name":"twice","inputSchema":{},"name":"x"},\
      {"name":"odd","inputSchema":{"type":"object"}},{"name":"odd","inputSchema":{"type":"object"}},\
      { "x":1.50e3,"name" : "sp ace", "inputSchema":{"type":"object","b":1,"a":"\\u00e9é"},\
      "_meta":{"ui":[ 1 ]}, "y":12345678901234567890 }],\
      "_meta":{"dev.mcpbus/leftOut":{"gone":"it was broken"},\
      "dev.mcpbus/quarantined":["pinned"]},"ttlMs":5}""";

  /** Dots, but no name for a tool {@code odd}. */
  private static final class NoOddNames implements NamePolicy {

    @Override
    public String name() {
      return "no-odd";
    }

    @Override
    public String encode(String server, String tool) {
      return tool.equals("odd") ? "?" : server + "." + tool;
    }

    @Override
    public Optional<ToolName> decode(String name) {
      return NamePolicy.DOTTED.decode(name);
    }
  }

  private final List<String> seen = new ArrayList<>();

  private void look(Vertx vertx, String what, JsonObject body) {
    for (String address :
        List.of(
            Addresses.ALL_TOOLS_LIST, Addresses.ALL_RESOURCES_LIST, Addresses.ALL_PROMPTS_LIST)) {
      String bytes =
          await(vertx.eventBus().<Buffer>request(address, body.toBuffer())).body().toString();
      seen.add(what + " " + address + " " + bytes);
    }
  }

  @Test
  void lists_have_the_same_bytes_as_ever(Vertx vertx) throws IOException {
    FakeConnection bad = new FakeConnection(vertx, "bad");
    bad.answering(Addresses.TOOLS_LIST, BAD_TOOLS);
    bad.answering(
        Addresses.RESOURCES_LIST,
        "{\"resources\":[{\"name\":\"r\",\"uri\":\"x:/1\"},{\"name\":\"n\"}]}");
    bad.answering(Addresses.PROMPTS_LIST, "{\"prompts\":[{\"name\":\"p\"},{\"name\":\"odd\"}]}");
    FakeConnection good = new FakeConnection(vertx, "good");
    good.answering(
        Addresses.TOOLS_LIST,
        "{\"tools\":[{\"name\":\"a.b\",\"inputSchema\":{\"type\":\"object\"},\"_meta\":{}}]}");
    good.answering(
        Addresses.RESOURCES_LIST,
        "{\"resources\":[{\"name\":\"r\",\"uri\":\"x:/1\",\"_meta\":{\"dev.mcpbus/server\":\"mine\"}}]}");
    good.answering(Addresses.PROMPTS_LIST, "{\"prompts\":[]}");
    JsonArray servers = new JsonArray();
    List.of("good", "bad")
        .forEach(id -> servers.add(NONE.copy().put("id", id).put("state", "READY")));
    vertx
        .eventBus()
        .consumer(
            Addresses.SERVERS_LIST, message -> message.reply(NONE.copy().put("servers", servers)));
    Duration enough = Duration.ofSeconds(5);
    await(
        vertx.deployVerticle(
            new DirectoryVerticle(
                OpenAccess.directory(vertx),
                List.of(new AggregateService(new NoOddNames(), false)),
                enough,
                enough)));

    look(vertx, "all", NONE);
    look(vertx, "one", NONE.copy().put("servers", new JsonArray().add("good")));
    bad.event(Events.DISCONNECTED, NONE);
    await()
        .until(
            () ->
                await(vertx.eventBus().<JsonObject>request(Addresses.ALL_TOOLS_LIST, NONE))
                    .body()
                    .encode()
                    .contains("stale"));
    look(vertx, "stale", NONE);

    assertThat(String.join("\n", seen) + "\n").isEqualTo(Files.readString(GOLDEN));
  }
}
