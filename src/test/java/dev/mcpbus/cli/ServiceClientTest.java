package dev.mcpbus.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.sun.net.httpserver.HttpServer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Answers over HTTP, and what becomes of failures. */
class ServiceClientTest {

  private HttpServer server;
  private ServiceClient client;
  private volatile @Nullable String authorization;

  @BeforeEach
  void listen() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4);
    server.start();
    URI url = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    client = new ServiceClient(url, "key", null);
  }

  @AfterEach
  void close() {
    server.stop(0);
  }

  private void answer(String path, int status, String body) {
    server.createContext(
        path,
        exchange -> {
          authorization = exchange.getRequestHeaders().getFirst("Authorization");
          byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().add("Location", "http://127.0.0.1:9/elsewhere");
          exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
  }

  private CommandFailure failure(String path) {
    return catchThrowableOfType(CommandFailure.class, () -> client.get(path));
  }

  @Test
  void the_key_goes_along_and_the_answer_is_json() {
    answer("/api", 200, "{\"a\": 1}");
    assertThat(client.get("/api").getInteger("a")).isEqualTo(1);
    assertThat(authorization).isEqualTo("Bearer key");
    answer("/empty", 204, "");
    assertThat(client.delete("/empty")).isEmpty();
  }

  @Test
  void a_problem_document_becomes_code_text_and_members() {
    answer(
        "/api",
        503,
        "{\"detail\": \"not now\", \"code\": \"UNAVAILABLE\", \"sent\": \"no\", \"retryAfter\": 5}");
    CommandFailure failure = failure("/api");
    assertThat(failure.exit()).isEqualTo(ExitCode.UNREACHABLE);
    assertThat(failure).hasMessage("not now");
    JsonObject error = failure.toJson().getJsonObject("error");
    assertThat(error.getString("code")).isEqualTo("UNAVAILABLE");
    assertThat(error.getString("sent")).isEqualTo("no");
    assertThat(error.getInteger("retryAfter")).isEqualTo(5);
  }

  @Test
  void a_missing_key_says_where_keys_come_from() {
    answer("/api", 401, "{\"detail\": \"a key is needed\", \"code\": \"FORBIDDEN\"}");
    assertThat(failure("/api"))
        .hasMessageContaining("--key-file")
        .satisfies(e -> assertThat(e.exit()).isEqualTo(ExitCode.NOT_ALLOWED));
  }

  @Test
  void another_program_at_the_place_is_named_as_such() {
    answer("/page", 200, "<html>hello</html>");
    assertThat(failure("/page")).hasMessageContaining("not as mcpbus does");
    answer("/api", 500, "<html>oops</html>");
    assertThat(failure("/api")).hasMessageContaining("HTTP 500");
  }

  @Test
  void a_redirect_is_not_followed_so_the_key_stays_here() {
    answer("/api", 302, "");
    assertThat(failure("/api").code()).isEqualTo("HTTP_302");
  }

  @Test
  void a_segment_of_a_path_is_in_the_normal_form() {
    assertThat(ServiceClient.segment("a b/ü~*+")).isEqualTo("a%20b%2F%C3%BC~%2A%2B");
  }
}
