package dev.mcpbus.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;

class NonMcpOutputTest {

  private static String said(String stdout, String stderr) {
    return NonMcpOutput.said(
        new JsonObject().put("pid", 1).put("stdout", stdout).put("stderr", stderr));
  }

  @Test
  void a_program_that_said_nothing_may_be_slow_or_no_server() {
    assertThat(said("", ""))
        .isEqualTo(
            " and nothing on stdout. Is it an MCP server for stdio? One that starts slowly needs a"
                + " longer \"handshakeTimeout\", a command that installs it first, such as npx, a"
                + " longer \"installTimeout\"");
  }

  @Test
  void a_program_that_sent_messages_was_not_silent() {
    assertThat(NonMcpOutput.said(new JsonObject().put("pid", 1).put("readBytes", 40L)))
        .startsWith(", only other messages on stdout. Is it an MCP server");
  }

  @Test
  void a_program_that_serves_http_is_to_be_reached_by_its_url() {
    assertThat(said("Server running on http://localhost:3000/mcp", ""))
        .isEqualTo(
            "; stdout said: Server running on http://localhost:3000/mcp. It seems to serve HTTP:"
                + " start it by itself and give its \"url\", or give it the argument for stdio");
  }

  @Test
  void a_known_cause_on_stderr_comes_with_its_remedy() {
    assertThat(said("", "Error: GITHUB_TOKEN is not set"))
        .isEqualTo(
            " and nothing on stdout; stderr: Error: GITHUB_TOKEN is not set. Set the variable in"
                + " \"env\": a server does not get the variables of mcpbus");
  }

  @Test
  void nothing_is_said_of_a_server_that_is_no_child() {
    assertThat(NonMcpOutput.said(new JsonObject().put("url", "http://x"))).isEmpty();
  }
}
