package dev.mcpbus.server;

import static dev.mcpbus.testing.TestBus.server;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.testing.TestBus;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The sample as a child process on stdin and stdout. */
class StdioServerIT {

  @ParameterizedTest
  @EnumSource(names = {"V2024_11_05", "V2025_11_25", "V2026_07_28"})
  void a_connection_serves_it_as_any_other_child(ProtocolVersion version) {
    JsonObject entry = SampleProcess.entry().put("protocolVersion", version.wire());
    try (TestBus bus = TestBus.start(server("sample", entry))) {
      bus.awaitState("sample", "READY");
      String text = "grüße ".repeat(20_000);
      assertThat(bus.callTool("sample", "echo", new JsonObject().put("text", text)))
          .isEqualTo(
              version == ProtocolVersion.V2026_07_28
                  ? ToolResult.text(text).put("resultType", "complete")
                  : ToolResult.text(text));
    }
  }

  @Test
  void a_client_of_the_sdk_starts_and_calls_it() {
    StdioClientTransport transport =
        new StdioClientTransport(
            ServerParameters.builder(SampleProcess.java()).args(SampleProcess.arguments()).build(),
            McpJsonDefaults.getMapper());
    try (McpSyncClient client = McpClient.sync(transport).build()) {
      assertThat(client.initialize().serverInfo().name()).isEqualTo("sample");
      assertThat(
              client
                  .callTool(CallToolRequest.builder("echo").arguments(Map.of("text", "hi")).build())
                  .content()
                  .toString())
          .contains("hi");
    }
  }

  @Test
  void the_process_ends_with_its_input_and_answers_what_came_before() throws Exception {
    List<String> command = new ArrayList<>(List.of(SampleProcess.java()));
    command.addAll(SampleProcess.arguments());
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    try (OutputStream in = process.getOutputStream()) {
      in.write(
          "no JSON\n{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\"}\n"
              .getBytes(StandardCharsets.UTF_8));
    }
    assertThat(lines(process)).containsExactly("{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{}}");
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
  }

  private static List<String> lines(Process process) throws IOException {
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      return out.lines().toList();
    }
  }
}
