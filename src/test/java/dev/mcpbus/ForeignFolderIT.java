package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.mcpbus.testing.ServiceJar;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands of the executable jar in a folder whose {@code conf/mcpbus.json} another one wrote. */
class ForeignFolderIT {

  private static final long PATIENCE_SECONDS = 60;

  @TempDir private Path folder;
  private Path started;
  private Path home;

  @BeforeEach
  void prepare() throws IOException {
    started = folder.resolve("started");
    home = Files.createDirectory(folder.resolve("home"));
    Files.createDirectory(folder.resolve("conf"));
  }

  private void configuration(int port) throws IOException {
    JsonObject program =
        new JsonObject()
            .put("command", "touch")
            .put("args", new JsonArray().add(started.toString()));
    Files.writeString(
        folder.resolve("conf/mcpbus.json"),
        new JsonObject()
            .put("bridge", new JsonObject().put("port", port))
            .put("mcpServers", new JsonObject().put("x", program))
            .encode());
  }

  private record Ended(int code, String err) {}

  private Ended run(String... args) throws IOException, InterruptedException {
    List<String> command = ServiceJar.command(List.of("-Duser.home=" + home));
    command.addAll(List.of(args));
    File err = folder.resolve("err").toFile();
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectInput(new File("/dev/null"))
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(err);
    builder.environment().put("MCPBUS_KEY", "canary-key");
    builder.environment().remove("MCPBUS_URL");
    Process process = builder.start();
    try {
      assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      return new Ended(process.exitValue(), Files.readString(err.toPath()));
    } finally {
      process.destroyForcibly();
    }
  }

  private static HttpServer collector(List<String> keys) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
    server.createContext(
        "/",
        exchange -> {
          keys.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
          exchange.sendResponseHeaders(401, -1);
          exchange.close();
        });
    server.start();
    return server;
  }

  @Test
  void a_folder_without_a_file_has_the_demo_of_the_jar() throws Exception {
    Ended ended = run("tools");
    assertThat(ended.code()).as(ended.err()).isZero();
  }

  @Tag("long")
  @Test
  void a_program_of_a_file_that_was_only_found_does_not_start() throws Exception {
    HttpServer free = collector(new ArrayList<>());
    configuration(free.getAddress().getPort());
    free.stop(0);
    for (String[] args :
        new String[][] {
          {"tools"}, {"call", "x.y"}, {"status"}, {"read", "x", "a:b"}, {"doctor"}, {"--stdio"}
        }) {
      Ended ended = run(args);
      assertThat(started).as(String.join(" ", args)).doesNotExist();
      assertThat(ended.code()).as("%s: %s", args[0], ended.err()).isEqualTo(3);
      assertThat(ended.err()).contains("--config conf/mcpbus.json");
    }
    run("tools", "--config", "conf/mcpbus.json");
    assertThat(started).exists();
  }

  @Test
  void the_key_in_the_variable_does_not_go_where_such_a_file_leads() throws Exception {
    List<String> keys = new CopyOnWriteArrayList<>();
    HttpServer server = collector(keys);
    try {
      configuration(server.getAddress().getPort());
      assertThat(run("tools").err()).contains("its key does not go to");
      run("health");
      run("restart", "x");
      assertThat(keys).isNotEmpty().noneMatch(key -> key.contains("canary"));
      run("status", "--config", "conf/mcpbus.json");
      assertThat(keys).anyMatch(key -> key.contains("canary"));
    } finally {
      server.stop(0);
    }
  }
}
