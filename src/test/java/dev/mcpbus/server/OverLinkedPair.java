package dev.mcpbus.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.transport.RawClient;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** The sample over a linked pair, with clients that speak bare JSON-RPC. */
abstract class OverLinkedPair {

  final Vertx vertx = Vertx.vertx();
  final Context context = vertx.getOrCreateContext();
  final Sample sample = new Sample();
  final RawServer server = sample.server;

  @AfterEach
  void closeVertx() throws Exception {
    RawClient.get(vertx.close());
  }

  RawClient open() throws Exception {
    return RawClient.open(vertx, server.inMemory(context));
  }

  RawClient initialized() throws Exception {
    RawClient client = open();
    client.handshake();
    return client;
  }

  static String discoverParams(String members, String meta) {
    return "{"
        + members
        + (members.isEmpty() ? "" : ",")
        + "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        + "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"new\",\"version\":\"2\"},"
        + "\"io.modelcontextprotocol/clientCapabilities\":{}"
        + meta
        + "}}";
  }

  static String call(String tool, String arguments) {
    return "{\"name\":\"" + tool + "\",\"arguments\":" + arguments + "}";
  }

  static JsonObject error(RawClient client, String method, String params) throws Exception {
    JsonObject answer = RawClient.get(client.request(method, params));
    assertThat(answer.containsKey("result")).as(answer.encode()).isFalse();
    return answer.getJsonObject("error");
  }

  static List<String> names(JsonObject list) {
    List<String> names = new ArrayList<>();
    list.getJsonArray("tools").forEach(tool -> names.add(((JsonObject) tool).getString("name")));
    return names;
  }

  static Future<JsonObject> never() {
    return Future.failedFuture("never called");
  }
}
