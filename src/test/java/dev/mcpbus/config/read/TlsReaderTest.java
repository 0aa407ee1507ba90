package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.SocketOptions;
import dev.mcpbus.transport.SseOptions;
import dev.mcpbus.transport.TlsOptions;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TlsReaderTest {

  private static final String ALL =
      "\"tls\": {\"caFile\": \"ca.pem\", \"certFile\": \"me.pem\", \"keyFile\": \"me.key\"}";

  @TempDir Path folder;

  private TlsOptions all() {
    return new TlsOptions(
        folder.resolve("ca.pem"), folder.resolve("me.pem"), folder.resolve("me.key"));
  }

  @Test
  void files_for_tls_are_read_for_every_transport_that_can_have_it() {
    Sample sample = Sample.in(folder);
    ServerDefinition http = sample.good("\"url\": \"https://h.example/mcp\"", ALL);
    assertThat(((HttpOptions) http.transport()).tls()).isEqualTo(all());
    ServerDefinition sse = sample.good("\"url\": \"https://h.example/sse\"", ALL);
    assertThat(((SseOptions) sse.transport()).http().tls()).isEqualTo(all());
    ServerDefinition socket = sample.good("\"url\": \"tls://h.example:1\"", ALL);
    assertThat(((SocketOptions) socket.transport()).tls()).isEqualTo(all());
    ServerDefinition plain = sample.good("\"url\": \"https://h.example/mcp\"");
    assertThat(((HttpOptions) plain.transport()).tls()).isNull();
    ServerDefinition ca =
        sample.good("\"url\": \"https://h.example/mcp\"", "\"tls\": {\"caFile\": \"ca.pem\"}");
    assertThat(((HttpOptions) ca.transport()).tls())
        .isEqualTo(new TlsOptions(folder.resolve("ca.pem"), null, null));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "https://h/mcp | {\"certFile\": \"a\"} | \"certFile\" and \"keyFile\" go together",
        "https://h/mcp | {\"keyFile\": \"a\"} | \"certFile\" and \"keyFile\" go together",
        "https://h/mcp | {\"cafile\": \"a\"} | Did you mean \"tls.caFile\"?",
        "https://h/mcp | {\"trustAll\": true} | unknown key \"tls.trustAll\"",
        "https://h/mcp | {\"caFile\": \"\"} | \"tls.caFile\" is empty or not a path",
        "https://h/mcp | true | \"tls\" must be an object",
        "http://h/mcp | {\"caFile\": \"a\"} | does not use TLS",
        "tcp://h:1 | {\"caFile\": \"a\"} | does not use TLS"
      })
  void a_contradictory_setting_is_a_problem(String url, String tls, String problem) {
    Sample sample = Sample.in(folder);
    ConfigResult result = sample.server("\"url\": \"" + url + "\"", "\"tls\": " + tls);
    assertThat(sample.texts(result)).anySatisfy(text -> assertThat(text).contains(problem));
  }
}
