package dev.mcpbus.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bridge.BridgeFixture.Answer;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of the console: which there are, with which policy, and for whom. */
@ExtendWith(VertxExtension.class)
class ConsoleFilesTest {

  private static final Path FOLDER = Path.of("src/main/resources/console");
  private static final Pattern IMPORT = Pattern.compile("from ?[\"']([^\"']+)[\"']");

  private static Answer get(BridgeFixture bridge, String path, String... headers) {
    MultiMap all = MultiMap.caseInsensitiveMultiMap();
    for (int i = 0; i < headers.length; i += 2) {
      all.add(headers[i], headers[i + 1]);
    }
    return bridge.send(HttpMethod.GET, path, "", all);
  }

  @Test
  void the_table_has_every_file_of_the_folder() throws IOException {
    try (Stream<Path> all = Files.walk(FOLDER)) {
      List<String> files =
          all.filter(Files::isRegularFile).map(file -> FOLDER.relativize(file).toString()).toList();
      assertThat(ConsoleFiles.names())
          .filteredOn(name -> !name.startsWith("lib/"))
          .containsExactlyInAnyOrderElementsOf(files);
    }
  }

  @Test
  void every_module_that_a_module_imports_is_in_the_table() throws IOException {
    Map<String, ConsoleFiles.ConsoleFile> files = ConsoleFiles.read();

    files.forEach(
        (name, file) -> {
          Matcher imports = IMPORT.matcher(name.endsWith(".js") ? file.body().toString() : "");
          while (imports.find()) {
            Path at = Path.of(name).resolveSibling(imports.group(1)).normalize();
            assertThat(files)
                .as("%s imports %s", name, imports.group(1))
                .containsKey(at.toString());
          }
        });
  }

  @Test
  void a_browser_gets_the_document_whose_policy_has_no_way_around(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);

    Answer answer = get(bridge, "/", "Accept", "text/html,*/*;q=0.8");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body()).startsWith("<!DOCTYPE html>").contains("/console/main.js");
    assertThat(answer.headers().get("Vary")).isEqualTo("Accept");
    assertThat(answer.headers().getAll("Content-Security-Policy")).hasSize(1);
    assertThat(answer.headers().get("Content-Security-Policy"))
        .startsWith("default-src 'none'")
        .contains("require-trusted-types-for 'script'", "frame-ancestors 'none'")
        .doesNotContain("unsafe", "http:", "https:", "*");
    assertThat(answer.body()).doesNotContain("<style", "style=", "onload", "onclick");
  }

  @Test
  void an_app_gets_an_origin_of_its_own_and_no_network(Vertx vertx) {
    Answer answer = get(new BridgeFixture(vertx), "/console/app.html");

    assertThat(answer.headers().get("Content-Security-Policy"))
        .startsWith("sandbox allow-scripts; default-src 'none'")
        .doesNotContain("allow-same-origin", "http", "*", "connect-src");
  }

  @Test
  void a_worker_reaches_nothing_but_its_own_modules(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);

    assertThat(
            get(bridge, "/console/parts/markdown-worker.js")
                .headers()
                .get("Content-Security-Policy"))
        .isEqualTo(
            "default-src 'none'; script-src 'self'; require-trusted-types-for 'script';"
                + " trusted-types 'none'");
    assertThat(get(bridge, "/", "Accept", "text/html").headers().get("Content-Security-Policy"))
        .contains("worker-src 'self'", "trusted-types lit-html markdown-worker");
  }

  @Test
  void a_file_that_has_not_changed_is_not_sent_again(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    Answer first = get(bridge, "/console/main.js");
    String tag = first.headers().get("ETag");

    Answer again = get(bridge, "/console/main.js", "If-None-Match", tag);

    assertThat(first.headers().get("Content-Type")).isEqualTo("text/javascript; charset=utf-8");
    assertThat(again.status()).isEqualTo(304);
    assertThat(again.body()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/console",
        "/console/",
        "/console/index",
        "/console/Main.js",
        "/console/lib/lit-html/package.json",
        "/console/parts",
        "/console/mcpbus.schema.json"
      })
  void what_is_not_in_the_table_does_not_exist(String path, Vertx vertx) {
    assertThat(get(new BridgeFixture(vertx), path).status()).isEqualTo(404);
  }

  @Test
  void other_methods_and_other_readers_get_what_they_got_before(Vertx vertx) {
    BridgeFixture bridge = new BridgeFixture(vertx);
    bridge.service();

    assertThat(bridge.send(HttpMethod.POST, "/", "{}", MultiMap.caseInsensitiveMultiMap()).status())
        .isEqualTo(405);
    assertThat(get(bridge, "/", "Accept", "*/*").body()).startsWith("This is mcpbus ");
  }
}
