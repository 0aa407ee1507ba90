package dev.mcpbus.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DemoServerIT {

  private static final RawJson HELLO =
      RawJson.of(
          "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},"
              + "\"clientInfo\":{\"name\":\"it\",\"version\":\"1\"}}");

  private final Process child;
  private final BufferedReader lines;
  private final OutputStream input;

  DemoServerIT() throws IOException {
    List<String> command = new ArrayList<>(DemoProcess.arguments());
    command.add(0, DemoProcess.java());
    child = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    lines = child.inputReader(StandardCharsets.UTF_8);
    input = child.getOutputStream();
  }

  @BeforeEach
  void alive() {
    assertThat(child.isAlive()).isTrue();
  }

  @AfterEach
  void end() throws InterruptedException {
    child.destroyForcibly().waitFor();
  }

  @Test
  void it_answers_on_stdout_and_exits_with_zero_at_the_end_of_stdin() throws Exception {
    send(MessageWriter.request(1, "initialize", HELLO));
    assertThat(result(1).getString("protocolVersion")).isEqualTo("2025-06-18");
    send(MessageWriter.notification("notifications/initialized", null));
    send(
        MessageWriter.request(
            2,
            "tools/call",
            RawJson.of("{\"name\":\"echo\",\"arguments\":{\"text\":\"a\\nb\u00e9\"}}")));
    assertThat(result(2).getJsonArray("content").getJsonObject(0).getString("text"))
        .isEqualTo("a\nb\u00e9");
    input.close();
    assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(child.exitValue()).isZero();
    assertThat(lines.readLine()).isNull();
  }

  private void send(byte[] message) throws IOException {
    input.write(message);
    input.write('\n');
    input.flush();
  }

  /** The very next line: a word of a log on stdout would fail here. */
  private JsonObject result(int id) throws IOException {
    String line = lines.readLine();
    assertThat(line).isNotNull();
    JsonObject answer = new JsonObject(line);
    assertThat(answer.getInteger("id")).isEqualTo(id);
    return answer.getJsonObject("result");
  }
}
