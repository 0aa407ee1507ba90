package dev.mcpbus.faults;

import dev.mcpbus.testing.Certificates;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.PfxOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/** A well-behaved MCP server behind TLS that speaks HTTP/2 and HTTP/1.1, but for what is told. */
final class TlsServer implements AutoCloseable {

  /** What was asked of it, and over which version of HTTP. */
  record Seen(String http, @Nullable String method) {}

  private static final JsonObject TOOL =
      new JsonObject()
          .put("name", HttpBed.TOOL)
          .put("inputSchema", new JsonObject().put("type", "object"));

  private static final JsonObject HELLO =
      new JsonObject()
          .put("protocolVersion", "2025-11-25")
          .put("capabilities", new JsonObject().put("tools", new JsonObject()))
          .put("serverInfo", new JsonObject().put("name", "tls").put("version", "1"));

  private final Vertx vertx = Vertx.vertx();
  private final HttpServer server;
  private final List<Seen> seen = new CopyOnWriteArrayList<>();
  private final AtomicInteger open = new AtomicInteger();

  /**
   * @param alias of the certificate in the store
   * @param clientAuthority whose certificates callers must have, null where they need none
   * @param odd asked first about each call of the tool; true where it answers
   */
  TlsServer(
      Certificates certificates,
      String alias,
      int port,
      @Nullable Path clientAuthority,
      BiPredicate<HttpServerRequest, JsonObject> odd) {
    HttpServerOptions options =
        new HttpServerOptions()
            .setSsl(true)
            .setUseAlpn(true)
            .setKeyCertOptions(
                new PfxOptions()
                    .setPath(certificates.store().toString())
                    .setPassword(Certificates.PASSWORD)
                    .setAlias(alias));
    if (clientAuthority != null) {
      options
          .setClientAuth(ClientAuth.REQUIRED)
          .setTrustOptions(new PemTrustOptions().addCertPath(clientAuthority.toString()));
    }
    server =
        vertx
            .createHttpServer(options)
            .connectionHandler(
                connection -> {
                  open.incrementAndGet();
                  connection.closeHandler(nothing -> open.decrementAndGet());
                })
            .requestHandler(request -> request.body().onSuccess(body -> answer(request, body, odd)))
            .listen(port, "127.0.0.1")
            .await();
  }

  TlsServer(Certificates certificates, String alias) {
    this(certificates, alias, 0, null, (request, call) -> false);
  }

  int port() {
    return server.actualPort();
  }

  String url() {
    return "https://localhost:" + port() + "/mcp";
  }

  /** Requests so far; none of them before the TLS handshake was done. */
  List<Seen> seen() {
    return List.copyOf(seen);
  }

  long calls() {
    return seen.stream().filter(one -> "tools/call".equals(one.method())).count();
  }

  int open() {
    return open.get();
  }

  private void answer(
      HttpServerRequest request, Buffer body, BiPredicate<HttpServerRequest, JsonObject> odd) {
    JsonObject call = body.length() == 0 ? new JsonObject() : new JsonObject(body);
    String method = call.getString("method");
    seen.add(new Seen(request.version().alpnName(), method));
    if (!request.method().name().equals("POST")) {
      request.response().setStatusCode(405).end();
    } else if (!call.containsKey("id")) {
      request.response().setStatusCode(202).end();
    } else if (!"tools/call".equals(method) || !odd.test(request, call)) {
      reply(request, call);
    }
  }

  /** The usual answer. */
  static void reply(HttpServerRequest request, JsonObject call) {
    JsonObject answer = new JsonObject().put("jsonrpc", "2.0").put("id", call.getValue("id"));
    switch (call.getString("method")) {
      case "initialize" -> answer.put("result", HELLO);
      case "server/discover" ->
          answer.put("error", new JsonObject().put("code", -32601).put("message", "no"));
      case "tools/list" ->
          answer.put("result", new JsonObject().put("tools", new JsonArray().add(TOOL)));
      default ->
          answer.put(
              "result",
              new JsonObject()
                  .put(
                      "content",
                      new JsonArray()
                          .add(new JsonObject().put("type", "text").put("text", "fine"))));
    }
    request.response().putHeader("Content-Type", "application/json").end(answer.encode());
  }

  @Override
  public void close() {
    vertx.close().await();
  }
}
