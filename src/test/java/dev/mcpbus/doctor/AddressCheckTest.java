package dev.mcpbus.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.transport.HttpOptions;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The steps of a server behind a proxy. */
class AddressCheckTest {

  private static List<DoctorStep> steps(HttpOptions options, Map<String, String> variables) {
    return new AddressCheck(Endpoint.of(options).orElseThrow(), variables).run();
  }

  private static HttpOptions to(String url) {
    return HttpOptions.of(URI.create(url));
  }

  @Test
  void the_proxy_is_named_and_looked_at_in_place_of_the_server() {
    try (RawHttpServer proxy = RawHttpServer.answering((request, peer) -> {})) {
      String url = "http://ada:canary@127.0.0.1:" + proxy.port();
      List<DoctorStep> steps =
          steps(to("https://mcp.corp.invalid/mcp"), Map.of("HTTPS_PROXY", url));
      assertThat(steps).noneMatch(DoctorStep::hasFailed).hasSize(2);
      assertThat(steps.toString())
          .contains("http://127.0.0.1:" + proxy.port() + " (HTTPS_PROXY)")
          .doesNotContain("canary");
    }
  }

  @Test
  void a_proxy_that_is_not_there_is_the_cause() {
    int port = RawHttpServer.refusingPort();
    DoctorStep last =
        steps(
                RecordCopy.with(
                    to("https://mcp.corp.invalid/mcp"),
                    "proxy",
                    Sensitive.of("http://ada:canary@127.0.0.1:" + port)),
                Map.of())
            .get(1);
    assertThat(last.hasFailed()).isTrue();
    assertThat(last.toString()).contains("Nothing listens at the proxy").doesNotContain("canary");
  }

  @Test
  void a_variable_that_names_no_proxy_is_the_cause() {
    DoctorStep first =
        steps(to("https://mcp.corp.invalid/mcp"), Map.of("https_proxy", "https://canary@p")).get(0);
    assertThat(first.hasFailed()).isTrue();
    assertThat(first.toString()).contains("https_proxy").doesNotContain("canary");
  }

  @Test
  void a_proxy_that_is_set_and_not_used_is_mentioned() {
    DoctorStep first =
        steps(
                to("http://mcp.corp.invalid/mcp"),
                Map.of("http_proxy", "http://p", "NO_PROXY", "corp.invalid"))
            .get(0);
    assertThat(first.toString()).contains("http_proxy is set, and not used").contains("NO_PROXY");
  }
}
