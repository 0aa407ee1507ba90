package dev.mcpbus.testing;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;

/**
 * The server of {@code src/test/npm/fixture-server.mjs}, made of the official SDK, in one era or
 * both, over stdio or HTTP. Closing it ends the processes that were started for HTTP.
 */
public final class Fixture implements AutoCloseable {

  private static final String SDK = "@modelcontextprotocol/server/dist/index.mjs";

  private final Path notes;
  private final List<Process> processes = new ArrayList<>();

  /**
   * @param notes a folder for what its tool {@code test_wait} reports
   */
  public Fixture(Path notes) {
    this.notes = notes;
  }

  /**
   * An entry of {@code mcpServers}.
   *
   * @param era {@code legacy}, {@code modern} or {@code both}
   * @param transport {@code stdio} or {@code http}; a process is started for the latter
   */
  public JsonObject entry(String era, String transport) {
    if (transport.equals("http")) {
      return new JsonObject().put("url", listening(era));
    }
    return new JsonObject()
        .put("command", NpmServers.node())
        .put("args", new JsonArray().add(script()).add(era))
        .put("env", new JsonObject().put("FIXTURE_NOTES", notes.toString()));
  }

  /**
   * An mcpbus with a server of each era, when both serve.
   *
   * @param older the id of the server of the {@code initialize} era, over stdio
   * @param modern the id of the other
   * @param transport of the other, as {@link #entry} takes it
   */
  public TestBus served(String older, String modern, String transport) {
    TestBus bus =
        TestBus.startWithBridge(
            new JsonObject()
                .put(older, entry("legacy", "stdio"))
                .put(modern, entry("modern", transport)));
    bus.awaitState(older, "READY");
    bus.awaitState(modern, "READY");
    return bus;
  }

  private static String script() {
    NpmServers.script(SDK);
    return Path.of("src", "test", "npm", "fixture-server.mjs").toAbsolutePath().toString();
  }

  private String listening(String era) {
    Path said = notes.resolve("url-" + processes.size());
    ProcessBuilder builder =
        new ProcessBuilder(NpmServers.node(), script(), era, "0")
            .redirectOutput(said.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("FIXTURE_NOTES", notes.toString());
    try {
      processes.add(builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Awaitility.await("the fixture to listen")
        .atMost(Duration.ofSeconds(60))
        .until(() -> read(said).strip(), url -> url.startsWith("http://"));
  }

  /** What a call of {@code test_wait} with that name has reported so far. */
  public String notes(String name) {
    return read(notes.resolve(name));
  }

  private static String read(Path file) {
    try {
      return Files.exists(file) ? Files.readString(file) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    processes.forEach(Process::destroyForcibly);
  }
}
