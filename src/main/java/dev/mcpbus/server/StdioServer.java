package dev.mcpbus.server;

import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * Serves one client over two streams, usually stdin and stdout of the process. One thread reads,
 * one writes; handlers run on a Vert.x context of its own.
 */
@PublicApi
public final class StdioServer {

  private StdioServer() {}

  /**
   * Serves until the client ends the input or breaks the framing rules.
   *
   * @param out carries messages only; the program must print everything else on stderr
   * @return completes when the client has disconnected and all messages were written; the server is
   *     closed then
   */
  public static Future<Void> serve(
      Vertx vertx, RawServer server, InputStream in, OutputStream out) {
    return StdioServerChannel.serve(vertx, server, in, out);
  }
}
