package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.Certificates;
import dev.mcpbus.testing.McpHttp;
import dev.mcpbus.testing.ServiceProcess;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The gateway over TLS, of a process that has it from its configuration. */
@ExtendWith(VertxExtension.class)
class GatewayTlsIT {

  private static final Pattern BRIDGE = Pattern.compile("^Bridge: https://127\\.0\\.0\\.1:(\\d+)$");

  private record Answer(int status, HttpVersion version, String session, String body) {}

  @TempDir Path folder;

  private static Answer post(HttpClient client, int port, JsonObject request, String... headers) {
    RequestOptions options =
        new RequestOptions()
            .setMethod(HttpMethod.POST)
            .setHost("localhost")
            .setPort(port)
            .setURI("/mcp")
            .putHeader("Content-Type", "application/json")
            .putHeader("Accept", "application/json, text/event-stream");
    for (int i = 0; i < headers.length; i += 2) {
      options.putHeader(headers[i], headers[i + 1]);
    }
    return TestBus.await(
        client
            .request(options)
            .compose(open -> open.send(Buffer.buffer(request.encode())))
            .compose(
                response ->
                    response
                        .body()
                        .map(
                            body ->
                                new Answer(
                                    response.statusCode(),
                                    response.version(),
                                    String.valueOf(response.getHeader("Mcp-Session-Id")),
                                    body.toString()))));
  }

  @Test
  void both_eras_are_served_over_tls_and_http_2(Vertx vertx) throws IOException {
    Certificates certificates = new Certificates(folder).selfSigned("front", "dns:localhost");
    JsonObject tls =
        new JsonObject()
            .put("certFile", certificates.certificate("front", "front.crt").toString())
            .put("keyFile", certificates.key("front", "front.key").toString());
    JsonObject demo = new JsonObject().put("type", "bus").put("address", "mcpbus.demo");
    Path file =
        Files.writeString(
            folder.resolve("mcpbus.json"),
            new JsonObject()
                .put("mcpServers", new JsonObject().put("demo", demo))
                .put("bridge", new JsonObject().put("tls", tls))
                .encode());
    try (ServiceProcess service = ServiceProcess.start(folder, "-c", file.toString(), "-p", "0")) {
      int port =
          Awaitility.await(service.errText())
              .atMost(Duration.ofSeconds(40))
              .until(() -> port(service), Optional::isPresent)
              .orElseThrow();
      for (HttpVersion version : new HttpVersion[] {HttpVersion.HTTP_2, HttpVersion.HTTP_1_1}) {
        HttpClient client =
            vertx.createHttpClient(
                new HttpClientOptions()
                    .setSsl(true)
                    .setUseAlpn(version == HttpVersion.HTTP_2)
                    .setProtocolVersion(version)
                    .setTrustOptions(
                        new PemTrustOptions().addCertPath(folder.resolve("front.crt").toString())));
        McpHttp mcp = new McpHttp(port, "/mcp");
        JsonObject call =
            mcp.described(
                "tools/call",
                new JsonObject()
                    .put("name", "demo__add")
                    .put("arguments", new JsonObject().put("a", 2).put("b", 3)));
        Answer discover = post(client, port, call, McpHttp.headers(call));
        assertThat(discover.status()).as(discover.body()).isEqualTo(200);
        assertThat(discover.version()).isEqualTo(version);
        assertThat(discover.body()).contains("5");
        JsonObject initialize =
            mcp.request(
                "initialize",
                new JsonObject()
                    .put("protocolVersion", "2025-11-25")
                    .put("capabilities", new JsonObject())
                    .put("clientInfo", new JsonObject().put("name", "t").put("version", "1")));
        Answer opened = post(client, port, initialize);
        Answer listed =
            post(
                client,
                port,
                mcp.request("tools/list", new JsonObject()),
                "Mcp-Session-Id",
                opened.session(),
                "MCP-Protocol-Version",
                "2025-11-25");
        assertThat(listed.body()).contains("demo__add");
      }
    }
  }

  private static Optional<Integer> port(ServiceProcess service) {
    return service.out().stream()
        .filter(line -> ServiceProcess.hasLastTable(service.outText()))
        .map(BRIDGE::matcher)
        .filter(Matcher::matches)
        .map(line -> Integer.parseInt(line.group(1)))
        .findFirst();
  }
}
