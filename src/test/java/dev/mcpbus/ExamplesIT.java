package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The programs of {@code src/examples}, run as their comments say. */
class ExamplesIT {

  private static final Path EXAMPLES = Path.of("src/examples");

  @Test
  void a_tool_is_called() throws Exception {
    assertThat(output("CallATool")).contains("2 + 3 = 5");
  }

  @Test
  void a_question_is_answered() throws Exception {
    assertThat(output("AnswerQuestions"))
        .anyMatch(line -> line.equals("connected files"))
        .anyMatch(line -> line.equals("files asks: Delete the file?"))
        .anyMatch(line -> line.equals("deleted"));
  }

  @Test
  void own_tools_are_served_to_clients_of_mcp() throws Exception {
    Process program = start("OwnTools", "0");
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(program.getInputStream(), StandardCharsets.UTF_8))) {
      String url = lines.lines().filter(line -> line.startsWith("http")).findFirst().orElseThrow();
      assertThat(days(url, "2026-01-01", "2026-12-24")).contains("\"text\":\"357\"");
      assertThat(days(url, "2026-01-01", "soon")).contains("INVALID_ARGUMENTS", "\"path\":\"/to\"");
    } finally {
      program.destroy();
      assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void each_example_is_run_here() throws IOException {
    try (Stream<Path> files = Files.list(EXAMPLES)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("CallATool.java", "AnswerQuestions.java", "OwnTools.java");
    }
  }

  private static String days(String mcp, String from, String to) throws Exception {
    JsonObject arguments = new JsonObject().put("from", from).put("to", to);
    String url = mcp.replace("/mcp", "/api/servers/dates/tools/days_between");
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(url))
                .POST(HttpRequest.BodyPublishers.ofString(arguments.encode()))
                .build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  private static List<String> output(String example) throws Exception {
    Process program = start(example);
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(program.getInputStream(), StandardCharsets.UTF_8))) {
      List<String> all = lines.lines().toList();
      assertThat(program.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(program.exitValue()).as("%s", all).isZero();
      return all;
    } finally {
      program.destroyForcibly();
    }
  }

  private static Process start(String example, String... arguments) throws IOException {
    String jar = System.getProperty("mcpbus.jar", "target/mcpbus.jar");
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    List<String> command =
        Stream.concat(
                Stream.of(java, "-cp", jar, EXAMPLES.resolve(example + ".java").toString()),
                Stream.of(arguments))
            .toList();
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }
}
