package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.testing.NpmServers;
import dev.mcpbus.testing.ServiceJar;
import dev.mcpbus.testing.ServiceProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The tutorial, as a reader types it, against a service that a reader has started. */
class TutorialIT {

  private static final Path PAGE = Path.of("src/docs/tutorial.md").toAbsolutePath();
  private static final Pattern SHELL = Pattern.compile("(?ms)^```sh\\n(.*?)^```$");
  private static final Pattern FILE = Pattern.compile("(?ms)^```json\\n(.*?)^```$");

  private record Shown(int code, String out) {}

  @Tag("long")
  @Test
  void each_line_of_the_tutorial_does_what_the_page_says(@TempDir Path folder) throws Exception {
    NpmServers.script("@modelcontextprotocol/server-everything/dist/index.js");
    Files.createSymbolicLink(
        folder.resolve("node_modules"), Path.of("src/test/npm/node_modules").toAbsolutePath());
    Files.createDirectory(folder.resolve("conf"));
    Files.copy(Path.of("conf/mcpbus.json"), folder.resolve("conf/mcpbus.json"));
    try (ServiceProcess service = ServiceProcess.start(folder, "--port", "0")) {
      String url = "http://127.0.0.1:" + service.port();
      List<String> lines = lines();
      assertThat(lines).hasSizeGreaterThan(8);

      assertThat(run(folder, url, lines, "mcpbus status").out()).contains("demo-stdio", "READY");
      assertThat(run(folder, url, lines, "mcpbus tools demo").out()).contains("demo.add");
      assertThat(run(folder, url, lines, "mcpbus call demo.add a=2 b=3").out()).contains("5");
      assertThat(run(folder, url, lines, "curl -s http://127.0.0.1:8790/api/servers/demo").out())
          .contains("\"text\":\"5\"");
      assertThat(run(folder, url, lines, "mcpbus add everything").code()).isZero();
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> run(folder, url, lines, "mcpbus status everything").out().contains("READY"));
      assertThat(run(folder, url, lines, "mcpbus call everything.echo").out()).contains("hello");
      assertThat(run(folder, url, lines, "mcpbus remove everything").code()).isZero();

      mistake(folder, url, lines);
    }
  }

  /** The file of the page with {@code npxx}: status and doctor say what is wrong. */
  private static void mistake(Path folder, String url, List<String> lines) throws Exception {
    MatchResult file = FILE.matcher(Files.readString(PAGE)).results().findFirst().orElseThrow();
    Files.writeString(
        folder.resolve("conf/mcpbus.json"), file.group(1).replace("\"npx\"", "\"npxx\""));
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> run(folder, url, lines, "mcpbus status everything").out().contains("npxx"));
    Shown doctor = run(folder, url, lines, "mcpbus doctor everything");
    assertThat(doctor.code()).isNotZero();
    assertThat(doctor.out()).contains("npxx", "PATH");
    Files.writeString(folder.resolve("conf/mcpbus.json"), file.group(1));
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> run(folder, url, lines, "mcpbus status everything").out().contains("READY"));
  }

  /** The lines of the page's shell blocks. */
  private static List<String> lines() throws IOException {
    return SHELL
        .matcher(Files.readString(PAGE))
        .results()
        .flatMap(block -> block.group(1).lines())
        .toList();
  }

  /** Runs the line of the page that begins so, with the service at {@code url}. */
  private static Shown run(Path folder, String url, List<String> lines, String start)
      throws IOException, InterruptedException {
    String line =
        lines.stream()
            .filter(each -> each.startsWith(start))
            .findFirst()
            .orElseThrow(() -> new AssertionError("the page has no line " + start))
            .replace("http://127.0.0.1:8790", url);
    String function =
        "mcpbus() { '" + String.join("' '", ServiceJar.command(List.of())) + "' \"$@\"; }; ";
    ProcessBuilder shell =
        new ProcessBuilder("sh", "-c", function + line)
            .directory(folder.toFile())
            .redirectErrorStream(true);
    shell.environment().put("MCPBUS_URL", url);
    Process process = shell.start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new Shown(process.exitValue(), out);
  }
}
