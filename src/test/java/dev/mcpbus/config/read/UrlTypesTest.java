package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.hosting.BuiltInTransports;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.SocketOptions;
import dev.mcpbus.transport.SseOptions;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which transport a URL means. */
@ExtendWith(VertxExtension.class)
class UrlTypesTest {

  @TempDir Path directory;

  private ServerDefinition one(String body) {
    return Sample.in(directory).good(body);
  }

  @ParameterizedTest
  @CsvSource({
    "http://h/mcp,, http",
    "http://h/sse,, sse",
    "https://h/a/SSE/?k=v,, sse",
    "http://h/sse/mcp,, http",
    "http://h/mcp?to=/sse,, http",
    "http://h/assess,, http",
    "http://h/sse, '\"type\": \"http\"', http",
    "http://h/sse, '\"preferSSE\": false', http",
    "http://h/mcp, '\"preferSSE\": true', sse",
    "http://h/mcp, '\"type\": \"http\", \"preferSSE\": true', sse",
    "http://h/mcp, '\"type\": \"sse\"', sse",
    "http://my_server:8000/mcp,, http",
    "https://my_server/sse,, sse",
    "tcp://my_server:1,, socket",
    "tcp://h:1,, socket",
    "tls://[::1]:1,, socket",
    "unix:///p.sock,, socket",
    "unix:///p.sock, '\"type\": \"unix\"', socket",
    "unix:///p.sock#/mcp,, http",
    "unix:///p.sock, '\"type\": \"http\"', http",
    "unix:///p.sock#/a/sse, '\"type\": \"sse\"', sse",
  })
  void a_url_and_a_type_mean_a_transport_that_can_be_made(
      String url, String more, String type, Vertx vertx) {
    ServerDefinition one = one("\"url\": \"" + url + "\"" + (more == null ? "" : ", " + more));
    assertThat(one.transport().type()).isEqualTo(type);
    assertThat(one.view().getString("type")).isEqualTo(type);
    assertThat(BuiltInTransports.create(vertx, one.transport(), AuthenticatorFactory.NONE).type())
        .isEqualTo(type);
  }

  @Test
  void the_options_reach_the_transport_and_no_secret_is_shown() {
    SseOptions sse =
        (SseOptions)
            one("\"url\": \"http://h/sse?key=canary-1\", \"connectTimeout\": 77,"
                    + " \"headers\": {\"X-Key\": \"canary-2\"}")
                .transport();
    assertThat(sse.http().connectTimeout()).isEqualTo(Duration.ofMillis(77));
    assertThat(sse.secrets()).containsExactly(Sensitive.of("canary-2"));
    assertThat(sse.toString()).contains("X-Key=***").doesNotContain("canary");
    ServerDefinition socket =
        one("\"url\": \"tcp://h:1\", \"connectTimeout\": 78, \"limits\": {\"maxDepth\": 9}");
    SocketOptions options = (SocketOptions) socket.transport();
    assertThat(options.connectTimeout()).isEqualTo(Duration.ofMillis(78));
    assertThat(options.limits().maxDepth()).isEqualTo(9);
    ServerDefinition unix = one("\"url\": \"unix:///p.sock#/mcp?key=canary-3\"");
    assertThat(unix.view().getString("url")).isEqualTo("unix:///p.sock#/mcp?***");
    assertThat(((HttpOptions) unix.transport()).toString()).doesNotContain("canary");
  }
}
