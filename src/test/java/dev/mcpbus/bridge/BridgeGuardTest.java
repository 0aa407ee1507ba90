package dev.mcpbus.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.internals.RecordCopy;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(VertxExtension.class)
class BridgeGuardTest {

  private static final List<String> ROUTES =
      List.of(
          "GET /api/servers",
          "GET /api/servers/alpha",
          "GET /api/servers/alpha/tools",
          "GET /api/servers/alpha/resources",
          "GET /api/servers/alpha/resources/templates",
          "GET /api/servers/alpha/prompts",
          "GET /api/tools",
          "GET /api/resources",
          "GET /api/prompts",
          "POST /api/servers/alpha/tools/t",
          "GET /api/servers/alpha/drift",
          "POST /api/servers/alpha/drift/approve",
          "POST /rpc",
          "GET /rpc",
          "GET /health/live",
          "GET /health/ready",
          "GET /eventbus/info",
          "GET /eventbus/websocket",
          "GET /unknown",
          "DELETE /unknown",
          "OPTIONS /rpc");

  private static final List<String> EVIL =
      List.of(
          "Host: evil.example\r\n",
          "Host: evil.example:PORT\r\n",
          "Host: 127.0.0.1.evil.example:PORT\r\n",
          "Host: 127.0.0.1:PORT.evil.example\r\n",
          "Host: 127.0.0.1:1\r\n",
          "Host: 127.0.0.1\r\n",
          "Host: evil@127.0.0.1:PORT\r\n",
          "Host: localhost:PORT\r\nHost: localhost:PORT\r\n",
          "Host: localhost:PORT\r\nHost: evil.example\r\n",
          "Host: localhost:PORT, evil.example\r\n",
          "Host: localhost.:PORT\r\n",
          "Host: 127.0.0.1.:PORT\r\n",
          "Host: localhost:PORT\r\nOrigin: http://evil.example\r\n",
          "Host: localhost:PORT\r\nOrigin: null\r\n",
          "Host: localhost:PORT\r\nOrigin: \r\n",
          "Host: localhost:PORT\r\nOrigin: https://localhost:PORT\r\n",
          "Host: localhost:PORT\r\nOrigin: http://localhost\r\n",
          "Host: localhost:PORT\r\nOrigin: http://localhost:PORT/\r\n",
          "Host: localhost:PORT\r\nOrigin: http://localhost.:PORT\r\n",
          "Host: localhost:PORT\r\nOrigin: http://localhost:PORT\r\nOrigin: http://evil.example\r\n",
          "Host: localhost:PORT\r\nSec-Fetch-Site: cross-site\r\n",
          "Host: localhost:PORT\r\nSec-Fetch-Site: same-site\r\n");

  @Test
  void every_route_refuses_every_strange_host_and_origin(Vertx vertx) throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx);
    AtomicInteger reached = new AtomicInteger();
    vertx.eventBus().addInboundInterceptor(delivery -> reached.incrementAndGet());

    List<String> routes = new ArrayList<>(ROUTES);
    JsonObject paths = bridge.get("/openapi.json").json().getJsonObject("paths");
    for (String path : paths.fieldNames()) {
      for (String method : paths.getJsonObject(path).fieldNames()) {
        routes.add(method.toUpperCase(Locale.ROOT) + " " + path.replaceAll("\\{\\w+}", "x"));
      }
    }
    assertThat(routes.size()).isGreaterThan(ROUTES.size() + 40);
    for (String route : routes) {
      for (String headers : EVIL) {
        String answer =
            bridge.raw(
                route
                    + " HTTP/1.1\r\n"
                    + headers.replace("PORT", "" + bridge.port)
                    + "Connection: close\r\nContent-Length: 0\r\n\r\n");
        assertThat(answer)
            .as("%s with %s", route, headers)
            .startsWith("HTTP/1.1 403 ")
            .contains("\"code\":\"FORBIDDEN\"", "application/problem+json", "nosniff")
            .doesNotContainIgnoringCase("access-control-");
      }
    }
    assertThat(reached).hasValue(0);
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET /api/servers", "POST /rpc", "GET /unknown"})
  void a_request_without_a_host_is_refused(String route, Vertx vertx) throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx);

    for (String version : List.of("1.1", "1.0")) {
      String answer =
          bridge.raw(
              route + " HTTP/" + version + "\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
      assertThat(answer).contains(" 403 ").contains("FORBIDDEN");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Host: localhost:PORT\r\n",
        "Host: LOCALHOST:PORT\r\n",
        "Host: 127.0.0.1:PORT\r\n",
        "Host: [::1]:PORT\r\n",
        "Host: localhost:PORT\r\nOrigin: http://localhost:PORT\r\n",
        "Host: localhost:PORT\r\nOrigin: http://127.0.0.1:PORT\r\n",
        "Host: localhost:PORT\r\nSec-Fetch-Site: same-origin\r\n",
        "Host: localhost:PORT\r\nSec-Fetch-Site: none\r\n",
        "Host: bus.example:PORT\r\n",
        "Host: bus.example\r\n",
        "Host: front.example:444\r\n"
      })
  void own_names_are_let_in(String headers, Vertx vertx) throws IOException {
    BridgeOptions options =
        RecordCopy.with(
            BridgeOptions.DEFAULT.withPort(0),
            Map.of(
                "allowedHosts",
                Set.of("bus.example", "Front.example:444"),
                "allowedOrigins",
                Set.of()));
    BridgeFixture bridge = new BridgeFixture(vertx, options);

    String answer =
        bridge.raw(
            "GET /health/live HTTP/1.1\r\nConnection: close\r\n"
                + headers.replace("PORT", "" + bridge.port)
                + "\r\n");

    assertThat(answer).startsWith("HTTP/1.1 200 ").doesNotContainIgnoringCase("access-control-");
  }

  /** A balancer has a port of its own, and passes the Host header on. */
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1:9443, , 200",
    "127.0.0.1, , 200",
    "127.0.0.1:9443, http://127.0.0.1:9443, 200",
    "127.0.0.1:9443, HTTP://127.0.0.1:9443, 200",
    "[::2]:9443, http://[::2]:9443, 200",
    "bus.example:65535, , 200",
    "front.example:444, , 200",
    // A page of another port of the same machine is a foreign page.
    "127.0.0.1:9443, http://127.0.0.1:9444, 403",
    "127.0.0.1:9443, https://127.0.0.1:9443, 403",
    "127.0.0.1:9443, http://bus.example:9443, 403",
    "127.0.0.1:9443, http://127.0.0.1:9443.evil.example, 403",
    // A name with a port is that port alone, and other loopback names have the bound one.
    "front.example:445, , 403",
    "front.example, , 403",
    "localhost:9443, , 403",
    "[::1]:9443, , 403",
    // No name of ours, whatever it looks like.
    "127.0.0.1.evil.example:9443, , 403",
    "evil.example:127.0.0.1, , 403",
    "127.0.0.1:evil.example, , 403",
    "127.0.0.1:, , 403",
    "127.0.0.1:123456, , 403",
    "127.0.0.1:80:80, , 403",
    "127.0.0.1:+80, , 403",
  })
  void a_name_without_a_port_is_let_in_with_any(
      String host, @Nullable String origin, String status, Vertx vertx) throws IOException {
    Set<String> allowed = Set.of("127.0.0.1", "[::2]", "bus.example", "front.example:444");
    BridgeOptions options =
        RecordCopy.with(
            BridgeOptions.DEFAULT.withPort(0),
            Map.of("allowedHosts", allowed, "allowedOrigins", Set.of()));
    BridgeFixture bridge = new BridgeFixture(vertx, options);
    String answer =
        bridge.raw(
            "GET /health/live HTTP/1.1\r\nConnection: close\r\nHost: "
                + host
                + (origin == null ? "" : "\r\nOrigin: " + origin)
                + "\r\n\r\n");
    assertThat(answer)
        .startsWith("HTTP/1.1 " + status)
        .doesNotContainIgnoringCase("access-control-");
  }

  @Test
  void a_refusal_shows_the_host_bounded_and_as_plain_text(Vertx vertx) throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx);
    assertThat(refusalOf("balancer.example:9443", bridge))
        .isEqualTo(
            "the Host header, 'balancer.example:9443', is none of this service's names;"
                + " \"bridge\": {\"allowedHosts\": [...]} in the configuration adds one");
    assertThat(refusalOf("x\u00e9<b>\"'", bridge))
        .startsWith("the Host header, 'x")
        .matches("[\\x20-\\x7E]+");
    assertThat(refusalOf("h".repeat(2_000), bridge))
        .contains("'" + "h".repeat(80) + "...'")
        .hasSizeLessThan(250);
  }

  private static String refusalOf(String host, BridgeFixture bridge) throws IOException {
    String answer =
        bridge.raw("GET /api/servers HTTP/1.1\r\nConnection: close\r\nHost: " + host + "\r\n\r\n");
    assertThat(answer).startsWith("HTTP/1.1 403 ");
    return new JsonObject(answer.substring(answer.indexOf("\r\n\r\n") + 4)).getString("detail");
  }

  @Test
  void cors_is_spoken_with_the_exact_list_alone(Vertx vertx) {
    BridgeOptions options =
        RecordCopy.with(
            BridgeOptions.DEFAULT.withPort(0),
            Map.of("allowedHosts", Set.of(), "allowedOrigins", Set.of("https://app.example")));
    BridgeFixture bridge = new BridgeFixture(vertx, options);
    MultiMap listed =
        MultiMap.caseInsensitiveMultiMap()
            .add("Origin", "https://app.example")
            .add("Sec-Fetch-Site", "cross-site");

    var plain = bridge.send(HttpMethod.GET, "/health/live", "", listed);
    assertThat(plain.status()).isEqualTo(200);
    assertThat(plain.headers().get("Access-Control-Allow-Origin")).isEqualTo("https://app.example");
    assertThat(plain.headers().get("Vary")).isEqualTo("Origin");
    listed.add("Access-Control-Request-Method", "POST");
    var preflight = bridge.send(HttpMethod.OPTIONS, "/rpc", "", listed);
    assertThat(preflight.status()).isEqualTo(204);
    assertThat(preflight.headers().get("Access-Control-Allow-Methods"))
        .isEqualTo("GET, POST, PUT, DELETE");
    assertThat(preflight.headers().contains("Access-Control-Allow-Credentials")).isFalse();

    for (String near :
        List.of(
            "http://app.example",
            "https://app.example:8443",
            "https://app.example.evil.example",
            "https://evilapp.example",
            "null")) {
      MultiMap headers = MultiMap.caseInsensitiveMultiMap().add("Origin", near);
      var refused = bridge.send(HttpMethod.GET, "/health/live", "", headers);
      assertThat(refused.status()).isEqualTo(403);
      assertThat(refused.headers().contains("Access-Control-Allow-Origin")).isFalse();
    }
  }

  @Test
  void a_listed_origin_may_send_credentials_and_the_headers_of_mcp(Vertx vertx) {
    BridgeOptions options =
        RecordCopy.with(
            BridgeOptions.DEFAULT.withPort(0),
            Map.of("allowedHosts", Set.of(), "allowedOrigins", Set.of("https://app.example")));
    BridgeFixture bridge = new BridgeFixture(vertx, options);
    MultiMap headers =
        MultiMap.caseInsensitiveMultiMap()
            .add("Origin", "https://app.example")
            .add("Access-Control-Request-Method", "POST")
            .add(
                "Access-Control-Request-Headers",
                "authorization,mcp-param-region, Mcp-Param-Zone,x-forwarded-for,mcp-param-\"x\"");
    for (String path : List.of("/mcp", "/api/servers", "/sse", "/rpc")) {
      var preflight = bridge.send(HttpMethod.OPTIONS, path, "", headers);
      assertThat(preflight.status()).as(path).isEqualTo(204);
      assertThat(preflight.headers().get("Access-Control-Allow-Headers").split(", "))
          .containsExactlyInAnyOrder(
              "Content-Type",
              "Authorization",
              "DPoP",
              "X-Api-Key",
              "Timeout",
              "Wait-Login",
              "Progress",
              "Traceparent",
              "Tracestate",
              "Baggage",
              "Call-Id",
              "Last-Event-ID",
              "Mcp-Session-Id",
              "MCP-Protocol-Version",
              "Mcp-Method",
              "Mcp-Name",
              "mcp-param-region",
              "Mcp-Param-Zone");
    }
    headers.remove("Access-Control-Request-Method");
    var answer = bridge.send(HttpMethod.GET, "/api/servers", "", headers);
    assertThat(answer.headers().get("Access-Control-Expose-Headers"))
        .contains("Mcp-Session-Id", "WWW-Authenticate");
  }

  @ParameterizedTest
  @ValueSource(strings = {"X: a\rb", "X: a\0b", "X\r: a", "X y", "Host : localhost"})
  void a_header_that_is_malformed_is_a_400(String header, Vertx vertx) throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx);

    String answer =
        bridge.raw(
            "GET /health/live HTTP/1.1\r\nHost: localhost:"
                + bridge.port
                + "\r\nConnection: close\r\n"
                + header
                + "\r\n\r\n");

    assertThat(answer).startsWith("HTTP/1.1 400 ").contains("application/problem+json");
  }

  @Test
  void a_line_break_in_the_path_does_not_reach_the_response_head(Vertx vertx) throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx);

    String answer =
        bridge.raw(
            "GET /api/servers/a%0d%0aSet-Cookie:%20x=1 HTTP/1.1\r\nHost: localhost:"
                + bridge.port
                + "\r\nConnection: close\r\n\r\n");

    assertThat(answer).startsWith("HTTP/1.1 400 ");
    assertThat(answer.substring(0, answer.indexOf("\r\n\r\n"))).doesNotContain("Set-Cookie");
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET", "POST"})
  void a_refused_client_that_continues_to_send_is_disconnected(String method, Vertx vertx)
      throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx);

    String answer =
        bridge.raw(
            method + " /rpc HTTP/1.1\r\nHost: evil\r\nContent-Length: 1000000000\r\n\r\nsome");

    assertThat(answer).startsWith("HTTP/1.1 403 ");
  }

  @ParameterizedTest
  @CsvSource({
    "0.0.0.0,auth.apiKeys",
    "192.168.0.1,auth.apiKeys",
    "::,auth.apiKeys",
    "example.org,auth.apiKeys",
    "localhost.example.org,auth.apiKeys",
    "2130706433,auth.apiKeys"
  })
  void a_host_beyond_loopback_is_refused_with_the_remedy(String host, String remedy) {
    assertThatThrownBy(() -> BridgeOptions.DEFAULT.withHost(host))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + host + "'")
        .hasMessageContaining(remedy);
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "127.3.2.1", "::1", "LocalHost"})
  void loopback_is_welcome_in_all_its_forms(String host) {
    assertThat(BridgeOptions.DEFAULT.withHost(host).host()).isEqualTo(host);
  }

  @Test
  void a_remote_host_requires_permission_and_the_list_of_names() {
    BridgeOptions base = BridgeOptions.DEFAULT;
    assertThatThrownBy(() -> RecordCopy.with(base, Map.of("host", "0.0.0.0", "allowRemote", true)))
        .hasMessageContaining("allowedHosts");
    assertThat(
            RecordCopy.with(
                    base,
                    Map.of(
                        "host",
                        "0.0.0.0",
                        "allowRemote",
                        true,
                        "allowedHosts",
                        Set.of("bus.example")))
                .allowRemote())
        .isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"*", "null", "https://a.example/", "a.example", "https://*.example", ""})
  void an_origin_that_is_no_exact_one_is_refused(String origin) {
    assertThatThrownBy(
            () ->
                RecordCopy.with(
                    BridgeOptions.DEFAULT,
                    Map.of("allowedHosts", Set.of(), "allowedOrigins", Set.of(origin))))
        .hasMessageContaining("allowedOrigins: '" + origin + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"*", "a.example.", "http://a.example", "a b", ""})
  void a_host_that_is_no_exact_one_is_refused(String host) {
    assertThatThrownBy(
            () ->
                RecordCopy.with(
                    BridgeOptions.DEFAULT,
                    Map.of("allowedHosts", Set.of(host), "allowedOrigins", Set.of())))
        .hasMessageContaining("allowedHosts: '" + host + "'");
  }
}
