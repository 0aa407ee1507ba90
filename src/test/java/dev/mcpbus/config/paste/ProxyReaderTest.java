package dev.mcpbus.config.paste;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.read.Sample;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.transport.HttpOptions;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The key {@code proxy} of a server. */
class ProxyReaderTest {

  private static final String URL = "\"url\": \"https://h.example/mcp\"";

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({"false, none", "\"none\", none", "\"socks5://p\", socks5://p", "\"p:1\", p:1"})
  void a_proxy_is_a_url_or_none(String written, String read) {
    ServerDefinition server = Sample.in(folder).good(URL, "\"proxy\": " + written);
    assertThat(((HttpOptions) server.transport()).proxy()).isEqualTo(Sensitive.of(read));
    ServerDefinition plain = Sample.in(folder).good(URL);
    assertThat(((HttpOptions) plain.transport()).proxy()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://ada:canary-7@p:1", "ada:canary-7@p:1"})
  void its_password_is_a_secret(String url) {
    ServerDefinition server = Sample.in(folder).good(URL, "\"proxy\": \"" + url + "\"");
    assertThat(MaskedEntry.of(new JsonObject().put("proxy", url)).encode())
        .doesNotContain("canary-7");
    assertThat(server.view().getString("proxy")).isEqualTo("http://***@p:1");
    assertThat(server.toString()).doesNotContain("canary-7");
    assertThat(server.redactor().redact("failed: canary-7")).doesNotContain("canary-7");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "true | \"proxy\" must be a string",
        "7 | \"proxy\" must be a string",
        "\"ftp://u:canary@p\" | \"proxy\" is not the URL of a proxy",
        "\"https://u:canary@p\" | \"proxy\" is not the URL of a proxy",
        "\"\" | \"proxy\" is not the URL of a proxy",
      })
  void another_value_is_a_problem_that_does_not_quote_it(String written, String problem) {
    Sample sample = Sample.in(folder);
    ConfigResult result = sample.server(URL, "\"proxy\": " + written);
    assertThat(sample.texts(result))
        .anySatisfy(text -> assertThat(text).contains(problem))
        .noneSatisfy(text -> assertThat(text).contains("canary"));
  }
}
