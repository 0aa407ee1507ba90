package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.directory.ViewOptions;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.protocol.ServerId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GatewayReaderTest {

  private static final String SERVERS = "\"mcpServers\": {\"git\": {\"command\": \"x\"}}";

  @TempDir Path directory;

  @Test
  void a_view_names_its_servers_as_the_file_does() {
    Map<String, ViewOptions> views =
        Sample.in(directory)
            .json(
                "{\"mcpServers\": {\"My Server\": {\"command\": \"x\"}}, \"gateway\": {\"views\":"
                    + " {\"v\": {\"servers\": [\"My Server\"], \"allow\": [\"MY_SERVER.Get_*\","
                    + " \"*note://A.b\"], \"deny\": [\"\uff2dy Server.x://a.b\"], \"rename\":"
                    + " {\"My Server.log\": \"history\"}}}}}")
            .usable()
            .orElseThrow()
            .gateway()
            .views();
    ViewOptions view = Objects.requireNonNull(views.get("v"));
    assertThat(view.servers()).containsExactly("my-server");
    assertThat(view.allow()).containsExactly("my-server.Get_*", "*note://A.b");
    assertThat(view.deny()).contains("my-server.x://a.b");
    assertThat(view.rename()).isEqualTo(Map.of("my-server.log", "history"));
  }

  @Test
  void a_view_names_servers_whose_names_have_dots() {
    ViewOptions view =
        Objects.requireNonNull(
            Sample.in(directory)
                .json(
                    "{\"mcpServers\": {\"io.github.Org/name\": {\"command\": \"x\"}, \"\u9ad8\": {\"command\":"
                        + " \"x\"}}, \"gateway\": {\"views\": {\"v\": {\"allow\":"
                        + " [\"io.github.Org/name.get_*\", \"\u9ad8.x\"], \"deny\": [\"IO.github.org/name.set.x\", \"com.acme/later.drop\"],"
                        + " \"rename\": {\"io.github.Org/name.log\": \"history\"}},"
                        + " \"w\": {\"servers\": [\"IO.github.Org/name\", \"\u9ad8\"]}}}}")
                .usable()
                .orElseThrow()
                .gateway()
                .views()
                .get("v"));
    String id = ServerId.of("io.github.Org/name");
    assertThat(view.allow()).containsExactly(id + ".get_*", ServerId.of("\u9ad8") + ".x");
    assertThat(view.deny())
        .contains(id + ".set.x", ServerId.of("com.acme/later") + ".drop")
        .allMatch(one -> one.endsWith(".set.x") || one.endsWith(".x") || one.endsWith(".drop"));
    assertThat(view.rename()).isEqualTo(Map.of(id + ".log", "history"));
  }

  @Test
  void a_gateway_is_read_in_full() {
    Sample sample = Sample.in(directory);
    GatewayOptions options =
        sample
            .json(
                "{"
                    + SERVERS
                    + ", \"gateway\": {\"sessionIdle\": \"5m\", \"maxSessions\": 7, \"maxCalls\":"
                    + " 8, \"maxStreams\": 9, \"pageSize\": 10, \"views\": {\"safe\": {\"servers\":"
                    + " [\"git\"], \"allow\": [\"git.*\"], \"deny\": [\"git.push\"], \"rename\":"
                    + " {\"git.log\": \"history\"}, \"failure\": \"closed\", \"prefix\":"
                    + " \"never\"}}, \"passUnknown\": true, \"handshakeWait\": \"20s\"}}")
            .usable()
            .orElseThrow()
            .gateway();
    assertThat(options)
        .isEqualTo(
            new GatewayOptions(
                Map.of(
                    "safe",
                    new ViewOptions(
                        List.of("git"),
                        List.of("git.*"),
                        List.of("git.push"),
                        Map.of("git.log", "history"),
                        true,
                        false,
                        List.of(),
                        true,
                        true)),
                Duration.ofMinutes(5),
                7,
                8,
                9,
                10,
                true,
                Duration.ofSeconds(20)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "\"views\": {\"git\": {}}|/mcp/git would be both a server and a view. Rename the view",
        "\"views\": {\"v\": {\"servers\": [\"docs\"]}}|view \"v\": there is no server \"docs\"",
        "\"views\": {\"v\": {\"rename\": {\"git.a\": \"1x\"}}}|\"1x\" is not a name for a tool",
        "\"views\": {\"v\": {\"rename\": {\"git.a\": \"x\", \"git.b\": \"x\"}}}|two tools are"
            + " renamed to \"x\"",
        "\"views\": {\"V 1\": {}}|is not a valid id",
        "\"views\": {\"v\": {\"alow\": []}}|Did you mean",
        "\"views\": {\"v\": {\"failure\": \"maybe\"}}|Use one of open, closed",
        "\"views\": {\"v\": {\"prefix\": \"always\"}}|Use one of server, never",
        "\"sessionIdle\": 0|must be more than zero",
        "\"pageSize\": 0|is out of range",
      })
  void a_mistake_is_reported_with_its_remedy(String gateway, String problem) {
    Sample sample = Sample.in(directory);
    assertThat(sample.texts(sample.json("{" + SERVERS + ", \"gateway\": {" + gateway + "}}")))
        .anySatisfy(text -> assertThat(text).contains(problem));
  }
}
