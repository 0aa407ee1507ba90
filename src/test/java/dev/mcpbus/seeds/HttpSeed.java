package dev.mcpbus.seeds;

import dev.mcpbus.testing.RawHttpServer;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A server over Streamable HTTP that shows what it was sent. It has the tools {@code hello} and
 * {@code cut}, whose answer breaks off and goes on where the client asks for the rest. A session
 * that it does not know is 404.
 */
final class HttpSeed {

  static final String SESSION = "session-of-the-server";

  private static final String HELLO =
      "{'protocolVersion':'2025-11-25','capabilities':{'tools':{}},"
          + "'serverInfo':{'name':'http','version':'1'}}";
  private static final String TOOLS =
      "{'tools':[{'name':'hello','inputSchema':{'type':'object'}},"
          + "{'name':'cut','inputSchema':{'type':'object'}}]}";
  private static final String RESULT = "{'content':[{'type':'text','text':'hello'}]}";

  private static final String LOG =
      "{'jsonrpc':'2.0','method':'notifications/message','params':{'level':'info','data':'a'}}";

  private HttpSeed() {}

  static RawHttpServer start() {
    AtomicLong cut = new AtomicLong();
    return RawHttpServer.answering(
        (request, peer) -> {
          String session = request.headers().getOrDefault("mcp-session-id", SESSION);
          if (request.headers().containsKey("last-event-id")) {
            peer.stream();
            peer.chunk("id: e2\ndata: " + answer(cut.get(), RESULT) + "\n\n");
            peer.end();
          } else if (!session.equals(SESSION)) {
            peer.reply("404 Not Found", "");
          } else if (request.body().contains("\"cut\"")) {
            cut.set(request.id());
            peer.stream();
            peer.chunk("retry: 10\nid: e1\ndata: " + LOG.replace('\'', '"') + "\n\n");
            peer.end();
          } else if (!request.method().equals("POST")) {
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
