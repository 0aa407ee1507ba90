package dev.mcpbus.seeds;

import dev.mcpbus.testing.RawHttpServer;

/** A server over Streamable HTTP that shows what it was sent; it has one tool, {@code hello}. */
final class HttpSeed {

  static final String SESSION = "session-of-the-server";

  private static final String HELLO =
      "{'protocolVersion':'2025-11-25','capabilities':{'tools':{}},"
          + "'serverInfo':{'name':'http','version':'1'}}";
  private static final String TOOLS =
      "{'tools':[{'name':'hello','inputSchema':{'type':'object'}}]}";
  private static final String RESULT = "{'content':[{'type':'text','text':'hello'}]}";

  private HttpSeed() {}

  static RawHttpServer start() {
    return RawHttpServer.answering(
        (request, peer) -> {
          if (!request.method().equals("POST")) {
            peer.reply("405 Method Not Allowed", "");
          } else if (request.id() < 0) {
            peer.reply("202 Accepted", "");
          } else if (request.calls("initialize")) {
            peer.json(answer(request.id(), HELLO), "Mcp-Session-Id: " + SESSION);
          } else if (request.calls("server/discover")) {
            peer.json(RawHttpServer.errorOf(request.id(), -32601, "no such method"));
          } else if (request.calls("tools/list")) {
            peer.json(answer(request.id(), TOOLS));
          } else {
            peer.json(answer(request.id(), request.calls("tools/call") ? RESULT : "{}"));
          }
        });
  }

  private static String answer(long id, String result) {
    return SeedBed.json("{'jsonrpc':'2.0','id':" + id + ",'result':" + result + "}").encode();
  }
}
