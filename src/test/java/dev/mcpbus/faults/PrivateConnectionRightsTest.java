package dev.mcpbus.faults;

import static dev.mcpbus.faults.DoorBed.ALICE;
import static dev.mcpbus.faults.DoorBed.BOB;
import static dev.mcpbus.faults.DoorBed.ROOT;
import static dev.mcpbus.faults.DoorBed.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The private connection of a client by its id, which an operator can read: to every other caller
 * it is a server that does not exist, at every door. No policy names it, so the rights on its
 * server would not hold for it.
 */
class PrivateConnectionRightsTest {

  private static final String CALL = "{\"name\":\"t\",\"arguments\":{}}";

  static Stream<Arguments> auths() {
    return Stream.of(
        Arguments.of("keys", DoorBed.keys()), Arguments.of("policies", DoorBed.policies()));
  }

  private static String lease(DoorBed bed) {
    ScriptedPeer peer =
        new ScriptedPeer(
            bed.bus.vertx(),
            (method, params, connection) ->
                switch (method) {
                  case "server/discover" -> ScriptedPeer.error(-32601, "no such method");
                  case "initialize" -> ScriptedPeer.INITIALIZED;
                  case "tools/list" ->
                      "\"result\":{\"tools\":[{\"name\":\"t\",\"inputSchema\":{\"type\":\"object\"}}]}";
                  case "tools/call" -> "\"result\":{\"content\":[]}";
                  default -> "\"result\":{}";
                });
    TestBus.await(
        TestOptions.add(
            bed.bus.bus(), new ConnectionId("own"), peer.transport(), ConnectionOptions.DEFAULT));
    bed.bus.awaitState("own", "READY");
    McpHttp.Session session =
        bed.mcp("/mcp/own").initialize("2025-11-25", new JsonObject(), as(BOB));
    assertThat(session.call("tools/call", new JsonObject(CALL)).status()).isEqualTo(200);
    String leases = bed.send("GET", "/api/leases", "", as(ROOT)).body();
    return new JsonObject(leases).getJsonArray("leases").getJsonObject(0).getString("lease");
  }

  private static void isAbsent(DoorBed bed, ApiKeys.Fresh key, String lease) {
    for (String path : List.of("/tools/t", "/ping", "/request")) {
      var told = bed.send("POST", "/api/servers/" + lease + path, "{}", as(key));
      assertThat(told.statusCode()).as(path + told.body()).isIn(403, 404);
    }
    for (String path : List.of("", "/status", "/tools", "/resources", "/prompts")) {
      var told = bed.send("GET", "/api/servers/" + lease + path, "", as(key));
      assertThat(told.statusCode()).as(path + told.body()).isEqualTo(404);
    }
    String rpc =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"server\":\""
            + lease
            + "\",\"name\":\"t\",\"arguments\":{}}}";
    assertThat(bed.send("POST", "/rpc", rpc, as(key)).body()).contains("error");
    String all = "{\"name\":\"" + lease + ".t\",\"arguments\":{}}";
    assertThat(bed.send("POST", "/api/tools/call", all, as(key)).statusCode()).isNotEqualTo(200);
    assertThat(bed.send("POST", "/mcp/" + lease, rpc, as(key)).statusCode()).isEqualTo(404);
    try (Listening heard = new Listening(bed, key, "a")) {
      for (String address : List.of(".tools.call", ".status")) {
        heard.start("mcp." + lease + address, new JsonObject(CALL), new JsonObject());
      }
      await()
          .until(
              () ->
                  heard.frames.stream()
                          .filter(one -> "err".equals(one.getString("type")))
                          .filter(one -> one.encode().contains("rejected"))
                          .count()
                      == 2);
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("auths")
  void to_other_callers_it_is_a_server_that_does_not_exist(String name, AuthOptions auth) {
    try (DoorBed bed = new DoorBed(auth)) {
      String lease = lease(bed);
      isAbsent(bed, ALICE, lease);
      isAbsent(bed, BOB, lease); // its own client reaches it through the gateway alone
      assertThat(
              bed.send("POST", "/api/servers/" + lease + "/tools/t", "{}", as(ROOT)).statusCode())
          .isEqualTo(200);
    }
  }
}
