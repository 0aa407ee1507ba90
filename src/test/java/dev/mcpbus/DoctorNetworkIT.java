package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.Certificates;
import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.OAuthWorld;
import dev.mcpbus.testing.RawHttpServer;
import io.vertx.core.Vertx;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.PfxOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code mcpbus doctor} on servers of a network that are broken, each in its own way. */
class DoctorNetworkIT {

  private static final List<DoctorIT.Case> CASES =
      List.of(
          is("refused", "CONNECTION_REFUSED", "connect", "Nothing listens at", "Start the server"),
          is("path", "WRONG_PATH", "http", "HTTP 404", "/mcp: write that as \"url\""),
          is("nowhere", "WRONG_PATH", "http", "HTTP 404", "often it is /mcp"),
          is("method", "WRONG_PATH", "http", "HTTP 501", "documentation"),
          is("html", "HTML_PAGE", "http", "web page", "/mcp"),
          is("moved", "REDIRECTED", "http", "http://127.0.0.1:9", "\"url\""),
          is("broken", "SERVER_ERROR", "http", "HTTP 500", "its log"),
          is("proxied", "SERVER_ERROR", "http", "HTTP 503", "A proxy"),
          is("many", "RATE_LIMITED", "http", "429", "Wait"),
          is("ssh", "NOT_HTTP", "http", "but SSH", "port"),
          is("refuses", "INITIALIZE_REFUSED", "handshake", "plan has ended", "documentation"),
          is("cut", "CONNECTION_LOST", "http", "breaks the connection off", "Its log"),
          is("silent", "NO_ANSWER", "handshake", "does not answer", "handshakeTimeout"),
          is("oauth", "LOGIN_REQUIRED", "login", "no \"oauth\"", "mcpbus login oauth"),
          is("login", "LOGIN_REQUIRED", "login", "login by OAuth", "mcpbus login login"),
          is("key", "CREDENTIALS_MISSING", "login", "entry has none", "\"headers\""),
          is("badkey", "CREDENTIALS_REFUSED", "login", "refuses the credentials", "expired"),
          is("example", "PLACEHOLDER_VALUE", "login", "placeholder", "real value"),
          is("rights", "FORBIDDEN", "login", "403", "rights"),
          is("plain", "TLS_NOT_SPOKEN", "tls", "does not speak TLS", "http://"),
          is("tls", "TLS_WANTED", "http", "speaks TLS", "https://"),
          is("expired", "TLS_CERTIFICATE_EXPIRED", "tls", "has expired on", "Renew"),
          is("early", "TLS_CERTIFICATE_NOT_YET_VALID", "tls", "valid from", "clock"),
          is("name", "TLS_WRONG_HOST", "tls", "other.example", "name of the certificate"),
          is("self", "TLS_SELF_SIGNED", "tls", "signed by itself", "caFile"),
          is("authority", "TLS_UNKNOWN_AUTHORITY", "tls", "CN=ca", "caFile"),
          is("cafile", "CONFIG_PROBLEM", "tls", "nope.pem", "\"tls\""),
          is("client", "TLS_CLIENT_CERTIFICATE", "tls", "certificate of the client", "certFile"),
          is("socket", "CONNECTION_REFUSED", "connect", "Nothing listens at", "Start the server"));

  private static DoctorIT.Case is(
      String id, String cause, String step, String text, String remedy) {
    return new DoctorIT.Case(id, cause, step, text, remedy);
  }

  @TempDir static Path folder;

  private static final Vertx VERTX = Vertx.vertx();
  private static final List<AutoCloseable> OPEN = new ArrayList<>();
  private static DoctorBed.Run run;

  static List<DoctorIT.Case> cases() {
    return CASES;
  }

  @BeforeAll
  static void examines() {
    DoctorBed bed = new DoctorBed(folder);
    int closed = RawHttpServer.refusingPort();
    bed.server("refused", url("http://127.0.0.1:" + closed + "/mcp"));
    bed.server("socket", url("tcp://127.0.0.1:" + closed));
    RawHttpServer elsewhere =
        http(
            (request, peer) -> {
              if (request.path().equals("/mcp")) {
                peer.json(RawHttpServer.errorOf("null", -32600, "no session"));
              } else {
                peer.reply("404 Not Found", "nothing here", "Content-Type: text/plain");
              }
            });
    bed.server("path", url("http://127.0.0.1:" + elsewhere.port() + "/"));
    status(bed, "nowhere", "404 Not Found");
    status(bed, "method", "501 Not Implemented");
    status(bed, "broken", "500 Internal Server Error");
    status(bed, "proxied", "503 Service Unavailable");
    status(bed, "many", "429 Too Many Requests");
    status(bed, "moved", "307 Temporary Redirect", "Location: http://127.0.0.1:9/mcp");
    status(bed, "key", "401 Unauthorized");
    status(bed, "rights", "403 Forbidden");
    status(bed, "html", "200 OK", "Content-Type: text/html");
    RawHttpServer guarded = http((request, peer) -> peer.reply("401 Unauthorized", ""));
    bed.server("badkey", key(guarded, "Bearer s3cret-value"));
    bed.server("example", key(guarded, "Bearer <YOUR_TOKEN>"));
    RawHttpServer ssh = raw(peer -> peer.send("SSH-2.0-OpenSSH_9.6\r\n"));
    bed.server("ssh", url(ssh.url().toString()));
    RawHttpServer refuses =
        http(
            (request, peer) ->
                peer.reply(
                    "400 Bad Request",
                    RawHttpServer.errorOf(null, -32000, "plan has ended"),
                    "Content-Type: application/json"));
    bed.server("refuses", url(refuses.url().toString()));
    RawHttpServer cut =
        raw(
            peer -> {
              peer.read();
              peer.close();
            });
    bed.server("cut", url(cut.url().toString()));
    bed.server("silent", url(raw(RawHttpServer.Peer::silence).url().toString()));
    bed.server("plain", url("https://127.0.0.1:" + elsewhere.port() + "/mcp"));
    OAuthWorld world = new OAuthWorld(VERTX);
    OPEN.add(world);
    bed.server("oauth", url(world.url().toString()));
    bed.server("login", url(world.url().toString()).put("oauth", new JsonObject()));
    tls(bed);
    run = bed.run("--json", "--timeout", "8");
  }

  private static void tls(DoctorBed bed) {
    Certificates made =
        new Certificates(folder)
            .authority("ca")
            .selfSigned("self", "ip:127.0.0.1")
            .signed("good", "ca", "ip:127.0.0.1", "-1d", 10)
            .signed("expired", "ca", "ip:127.0.0.1", "-10d", 5)
            .signed("early", "ca", "ip:127.0.0.1", "+10d", 20)
            .signed("name", "ca", "dns:other.example", "-1d", 10);
    Path authority = made.certificate("ca", "ca.pem");
    for (String alias : List.of("expired", "early", "name")) {
      bed.server(alias, trusting(https(made, alias, null), authority));
    }
    int good = https(made, "good", null);
    bed.server("self", url("https://127.0.0.1:" + https(made, "self", null) + "/mcp"));
    bed.server("authority", url("https://127.0.0.1:" + good + "/mcp"));
    bed.server("cafile", trusting(good, folder.resolve("nope.pem")));
    bed.server("tls", url("http://127.0.0.1:" + good + "/mcp"));
    bed.server("client", trusting(https(made, "good", authority), authority));
  }

  private static int https(Certificates made, String alias, @Nullable Path clients) {
    HttpServerOptions options =
        new HttpServerOptions()
            .setSsl(true)
            .setKeyCertOptions(
                new PfxOptions()
                    .setPath(made.store().toString())
                    .setPassword(Certificates.PASSWORD)
                    .setAlias(alias));
    if (clients != null) {
      options
          .setClientAuth(ClientAuth.REQUIRED)
          .setTrustOptions(new PemTrustOptions().addCertPath(clients.toString()));
    }
    return VERTX
        .createHttpServer(options)
        .requestHandler(request -> request.response().setStatusCode(404).end())
        .listen(0, "127.0.0.1")
        .await()
        .actualPort();
  }

  private static JsonObject url(String url) {
    return new JsonObject().put("url", url);
  }

  private static JsonObject trusting(int port, Path authority) {
    return url("https://127.0.0.1:" + port + "/mcp")
        .put("tls", new JsonObject().put("caFile", authority.toString()));
  }

  private static JsonObject key(RawHttpServer server, String value) {
    return url(server.url().toString())
        .put("headers", new JsonObject().put("Authorization", value));
  }

  private static RawHttpServer http(RawHttpServer.Answer answer) {
    RawHttpServer server = RawHttpServer.answering(answer);
    OPEN.add(server);
    return server;
  }

  private static RawHttpServer raw(RawHttpServer.Script script) {
    RawHttpServer server = RawHttpServer.start(script);
    OPEN.add(server);
    return server;
  }

  /** A server that says the same to everything. */
  private static void status(DoctorBed bed, String id, String status, String... headers) {
    RawHttpServer server =
        http((request, peer) -> peer.reply(status, "<html><p>hello</p></html>", headers));
    bed.server(id, url(server.url().toString()));
  }

  @AfterAll
  static void ends() throws Exception {
    for (AutoCloseable each : OPEN) {
      each.close();
    }
    VERTX.close().await();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void names_the_right_cause(DoctorIT.Case wanted) {
    DoctorIT.assertCase(run.server(wanted.id()), wanted);
  }

  @Test
  void a_secret_of_an_entry_is_in_no_report() {
    assertThat(run.out() + run.err()).doesNotContain("s3cret-value");
  }

  @Test
  void the_metadata_of_a_login_is_named_with_its_issuer() {
    assertThat(run.server("oauth").getString("text"))
        .contains("/.well-known/oauth-protected-resource/mcp")
        .contains("/as");
  }

  @Test
  void a_login_is_the_exit_code_3() throws IOException {
    DoctorBed bed = new DoctorBed(folder);
    try (RawHttpServer guarded =
        RawHttpServer.answering((request, peer) -> peer.reply("401 Unauthorized", ""))) {
      bed.server("key", url(guarded.url().toString()));
      assertThat(bed.run("key").code()).isEqualTo(3);
    }
  }

  @Test
  void a_server_that_works_passes_every_step() {
    try (NpmServers.Running everything =
        NpmServers.listening(
            NpmServers.freePort(),
            Map.of("PORT", "PORT"),
            "@modelcontextprotocol/server-everything/dist/index.js",
            "streamableHttp")) {
      DoctorBed bed = new DoctorBed(folder);
      bed.server("everything", url(everything.url("/mcp")));
      DoctorBed.Run healthy = bed.run("everything", "--json");
      JsonObject server = healthy.server("everything");
      assertThat(healthy.code()).as(server.encodePrettily()).isZero();
      assertThat(
              server.getJsonArray("steps").stream()
                  .map(JsonObject.class::cast)
                  .collect(
                      Collectors.toMap(
                          step -> step.getString("step"), step -> step.getString("result"))))
          .containsOnly(
              Map.entry("entry", "ok"),
              Map.entry("environment", "ok"),
              Map.entry("address", "ok"),
              Map.entry("connect", "ok"),
              Map.entry("http", "ok"),
              Map.entry("login", "ok"),
              Map.entry("era", "ok"),
              Map.entry("handshake", "ok"),
              Map.entry("lists", "ok"),
              Map.entry("ping", "ok"));
    }
  }
}
