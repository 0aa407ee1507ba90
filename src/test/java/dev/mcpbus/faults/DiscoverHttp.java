package dev.mcpbus.faults;

import dev.mcpbus.testing.RawHttpServer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;

/** A server of the {@code discover} era over HTTP, whose tool calls a test answers. */
final class DiscoverHttp {

  /** Plays the response to one tool call. */
  @FunctionalInterface
  interface Call {
    void answer(RawHttpServer.Request request, RawHttpServer.Peer peer) throws IOException;
  }

  private DiscoverHttp() {}

  /**
   * Starts one.
   *
   * @param tools the array of its {@code tools/list}
   */
  static RawHttpServer start(String tools, Call call) {
    return start(ShServer.DISCOVERED, tools, call);
  }

  static RawHttpServer start(String discovered, String tools, Call call) {
    return RawHttpServer.answering(
        (request, peer) -> {
          if (request.calls("tools/call")) {
            call.answer(request, peer);
          } else if (request.calls("server/discover")) {
            result(request, peer, discovered);
          } else if (request.calls("tools/list")) {
            result(request, peer, "{\"tools\":" + tools + ",\"ttlMs\":0}");
          } else if (request.calls("subscriptions/listen")) {
            peer.stream();
            peer.silence();
          } else {
            peer.reply(
                "404 Not Found",
                RawHttpServer.errorOf(request.id(), -32601, "no such method"),
                "Content-Type: application/json");
          }
        });
  }

  static void result(RawHttpServer.Request request, RawHttpServer.Peer peer, String result)
      throws IOException {
    peer.json(message(request, result));
  }

  static String message(RawHttpServer.Request request, String result) {
    return "{\"jsonrpc\":\"2.0\",\"id\":" + request.id() + ",\"result\":" + result + "}";
  }

  static String text(String text) {
    return "{\"content\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]}";
  }

  static JsonObject entry(RawHttpServer server) {
    return new JsonObject().put("url", server.url().toString());
  }
}
