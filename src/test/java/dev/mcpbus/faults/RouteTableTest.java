package dev.mcpbus.faults;

import static dev.mcpbus.faults.DoorBed.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bridge.options.BridgeTlsOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.Effect;
import dev.mcpbus.security.AuthOptions.Policy;
import dev.mcpbus.security.MountPath;
import dev.mcpbus.testing.Certificates;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.testing.TokenIssuer;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Every route of every door, asked for by everybody who may not, in every way that a path can be
 * written: over HTTP/1.1 with bytes of our own, as an upgrade to a WebSocket, and over HTTP/2.
 */
@ExtendWith(VertxExtension.class)
@Tag("long")
class RouteTableTest {

  private static final Logger LOG = LoggerFactory.getLogger(RouteTableTest.class);
  private static final ApiKeys.Fresh WEAK = ApiKeys.generate(new SecureRandom());

  /** What is not in the table that the bridge tells at {@code /openapi.json}. */
  private static List<DoorBed.Route> of(MountPath door) {
    return switch (door) {
      case MCP ->
          List.of(
              at(door, "POST", "", "call"),
              at(door, "GET", "", "call"),
              at(door, "DELETE", "", "call"),
              at(door, "POST", "/a", "call"));
      case SSE -> List.of(at(door, "GET", "", "call"), at(door, "POST", "", "call"));
      case EVENT_BUS ->
          List.of(
              at(door, "GET", "/info", "call"),
              at(door, "GET", "/websocket", "call"),
              at(door, "GET", "/1/a/websocket", "call"));
      case CONSOLE -> List.of(at(door, "GET", "/main.js", "open"));
      // Only a ticket names a page, and the way back is one for a login that is under way.
      case LOGIN -> List.of(at(door, "GET", "", "call"), at(door, "POST", "/x", "call"));
      case PROTECTED_RESOURCE -> List.of(at(door, "GET", "", "open"));
      // Nothing is there without auth.signIn.
      case SIGN_IN ->
          List.of(at(door, "GET", "/authorize", "call"), at(door, "POST", "/token", "call"));
      case AUTHORIZATION_SERVER, OPENID_CONFIGURATION -> List.of(at(door, "GET", "", "call"));
    };
  }

  private static DoorBed.Route at(MountPath door, String method, String below, String action) {
    return new DoorBed.Route(method, door.root() + below, action);
  }

  /** {@code PATH} stands for a route's path, {@code REST} for it without its first slash. */
  private static final List<String> TRICKS =
      List.of(
          "/health/..PATH",
          "/health/%2e%2ePATH",
          "/health/%2E.PATH",
          "/health/x/../..PATH",
          "/health/live/../..PATH",
          "/health/ready;/../..PATH",
          "/health/live;PATH",
          "/health/live/..%2f..PATH",
          "/health/live%2f..%2f..PATH",
          "/health/..%5c..PATH",
          "/health\\..PATH",
          "/.well-known/oauth-protected-resource/../..PATH",
          "/.well-known/oauth-protected-resource/%2e%2e/%2e%2ePATH",
          "/.PATH",
          "/x/..PATH",
          "/PATH",
          "//health/live/../..PATH",
          "/%2fREST",
          "/%5cREST",
          "/%00REST",
          "/;REST",
          "/;a=bPATH",
          "PATH/.",
          "PATH/../x",
          "PATH//",
          "PATH;",
          "PATH%00",
          "PATH%2f",
          "PATH#x",
          "PATH%",
          "PATH%zz",
          "http://localhost:PORTPATH",
          "http://evil.examplePATH",
          "REST",
          "*");

  private static final String UPGRADE =
      String.join(
          "\r\n",
          "Connection: Upgrade",
          "Upgrade: websocket",
          "Sec-WebSocket-Version: 13",
          "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
          "");

  @TempDir Path folder;

  private final ConcurrentLinkedQueue<String> addresses = new ConcurrentLinkedQueue<>();
  private TokenIssuer issuer;
  private AuthOptions auth;
  private Map<String, String> strangers;
  private int tried;

  @BeforeEach
  void start(Vertx vertx) {
    issuer = new TokenIssuer(vertx);
    issuer.add("one");
    auth =
        RecordCopy.with(
            RecordCopy.with(
                TestOptions.ofKeys(
                    List.of(DoorBed.key("root", ROOT, true), DoorBed.key("weak", WEAK, false))),
                "policies",
                List.of(new Policy(List.of("root"), List.of(), List.of(), Set.of(), Effect.ALLOW))),
            "issuers",
            TestOptions.issuer(
                issuer.url(), Set.of("mcp"), Set.of("mcp:admin"), Duration.ofSeconds(5)));
    long past = System.currentTimeMillis() / 1_000 - 60;
    strangers = new LinkedHashMap<>();
    strangers.put("none", "");
    strangers.put("wrong", bearer("mcpbus_" + "A".repeat(43)));
    strangers.put(
        "expired",
        bearer(issuer.token("one", issuer.claims("eve", "mcp mcp:admin").put("exp", past))));
  }

  @AfterEach
  void close() {
    issuer.close();
  }

  private static String bearer(String credential) {
    return "Authorization: Bearer " + credential + "\r\n";
  }

  /** Watches what reaches the bus of what could start, change or call something. */
  private DoorBed watched(BridgeOptions options) {
    DoorBed bed = new DoorBed(options, auth);
    bed.bus
        .vertx()
        .eventBus()
        .addOutboundInterceptor(
            delivery -> {
              addresses.add(String.valueOf(delivery.message().address()));
              delivery.next();
            });
    return bed;
  }

  private void assertThatNothingWasDone() {
    assertThat(addresses)
        .noneMatch(
            address ->
                address.matches(
                    "mcp\\.servers\\.(add|remove|lease|release)|mcp\\.a\\.(tools\\.call|resources"
                        + "\\.read|prompts\\.get|request|connect|disconnect|restart|logging.*)"));
  }

  private static List<DoorBed.Route> table(List<DoorBed.Route> routes) {
    List<DoorBed.Route> all = new ArrayList<>(routes);
    assertThat(all).hasSizeGreaterThan(40);
    Stream.of(MountPath.values()).map(RouteTableTest::of).forEach(all::addAll);
    all.add(new DoorBed.Route("GET", "/unknown", "call"));
    return all;
  }

  private static boolean isOpen(DoorBed.Route route) {
    return route.path().startsWith("/health/") || route.action().equals("open");
  }

  private static String trick(String pattern, String path, int port) {
    return pattern
        .replace("PORT", Integer.toString(port))
        .replace("PATH", path)
        .replace("REST", path.substring(1));
  }

  /** The status of the first answer, with the bytes as they are. */
  private int ask(int port, String method, String target, String headers) throws IOException {
    tried++;
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(20_000);
      String body = method.equals("POST") ? "{}" : "";
      String request =
          method
              + " "
              + target
              + " HTTP/1.1\r\nHost: localhost:"
              + port
              + "\r\nContent-Type: application/json\r\nContent-Length: "
              + body.length()
              + "\r\n"
              + headers
              + "\r\n"
              + body;
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      InputStream in = socket.getInputStream();
      String status = new String(in.readNBytes(12), StandardCharsets.US_ASCII);
      assertThat(status).as(request).matches("HTTP/1\\.[01] \\d{3}");
      return Integer.parseInt(status.substring(9));
    }
  }

  @Test
  void over_http_1_and_websockets_nobody_gets_past_the_table() throws IOException {
    try (DoorBed bed = watched(BridgeOptions.DEFAULT.withPort(0))) {
      int port = bed.bus.port();
      List<DoorBed.Route> routes = table(bed.routes());
      addresses.clear();
      for (DoorBed.Route route : routes) {
        strangersAt(port, route);
        for (String pattern : TRICKS) {
          String target = trick(pattern, route.path(), port);
          for (String headers : List.of("", bearer(WEAK.key()), bearer(ROOT.key()))) {
            assertThat(ask(port, route.method(), target, headers)).as(target).isEqualTo(400);
          }
          for (String headers : strangers.values()) {
            assertThat(ask(port, "GET", target, UPGRADE + headers)).as(target).isEqualTo(400);
          }
        }
        int weak = ask(port, route.method(), route.path(), bearer(WEAK.key()));
        if (route.action().equals("admin")) {
          assertThat(weak).as("%s", route).isEqualTo(403);
        }
      }
      assertThatNothingWasDone();
    }
    LOG.info("{} combinations of route, path, credential and upgrade were tried", tried);
    assertThat(tried).isGreaterThan(5_000);
  }

  private void strangersAt(int port, DoorBed.Route route) throws IOException {
    for (Map.Entry<String, String> stranger : strangers.entrySet()) {
      for (String upgrade : List.of("", UPGRADE)) {
        String method = upgrade.isEmpty() ? route.method() : "GET";
        int status = ask(port, method, route.path(), upgrade + stranger.getValue());
        assertThat(status)
            .as("%s, %s%s", route, stranger.getKey(), upgrade.isEmpty() ? "" : ", upgrade")
            .isEqualTo(isOpen(route) ? 200 : 401);
      }
    }
  }

  @Test
  void over_http_2_nobody_gets_past_the_table() {
    Certificates certificates = new Certificates(folder).selfSigned("front", "dns:localhost");
    BridgeTlsOptions tls =
        new BridgeTlsOptions(
            certificates.certificate("front", "front.crt"), certificates.key("front", "front.key"));
    List<DoorBed.Route> routes;
    try (DoorBed plain = new DoorBed(auth)) {
      routes = table(plain.routes());
    }
    try (DoorBed bed = watched(RecordCopy.with(BridgeOptions.DEFAULT.withPort(0), "tls", tls))) {
      HttpClient client =
          bed.bus
              .vertx()
              .createHttpClient(
                  new HttpClientOptions()
                      .setSsl(true)
                      .setUseAlpn(true)
                      .setProtocolVersion(HttpVersion.HTTP_2)
                      .setTrustOptions(
                          new PemTrustOptions()
                              .addCertPath(folder.resolve("front.crt").toString())));
      addresses.clear();
      for (DoorBed.Route route : routes) {
        for (Map.Entry<String, String> stranger : strangers.entrySet()) {
          assertThat(ask(client, bed.bus.port(), route, route.path(), stranger.getValue()))
              .as("%s, %s", route, stranger.getKey())
              .isEqualTo(isOpen(route) ? 200 : 401);
        }
        for (String pattern : TRICKS) {
          String target = trick(pattern, route.path(), bed.bus.port());
          if (target.isEmpty()) {
            continue; // the client would send "/"
          }
          for (String headers : List.of("", bearer(ROOT.key()))) {
            assertThat(ask(client, bed.bus.port(), route, target, headers))
                .as(target)
                .isEqualTo(400);
          }
        }
      }
      assertThatNothingWasDone();
    }
    LOG.info("{} combinations of route, path and credential were tried over HTTP/2", tried);
    assertThat(tried).isGreaterThan(2_000);
  }

  private int ask(HttpClient client, int port, DoorBed.Route route, String target, String header) {
    tried++;
    RequestOptions options =
        new RequestOptions()
            .setMethod(HttpMethod.valueOf(route.method()))
            .setHost("localhost")
            .setPort(port)
            .setURI(target);
    if (!header.isEmpty()) {
      options.putHeader("Authorization", header.substring("Authorization: ".length()).strip());
    }
    return TestBus.await(
        client
            .request(options)
            .compose(
                request -> {
                  assertThat(request.version()).isEqualTo(HttpVersion.HTTP_2);
                  return request.send().map(response -> response.statusCode());
                }));
  }
}
