package dev.mcpbus.hosting.credentials;

import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.transport.ChildEnvironment;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs a configured command that prints HTTP headers as one JSON object of strings. The command
 * runs in a shell, on a worker thread, with the environment that stdio servers get. Neither its
 * output nor its errors are ever shown or logged.
 */
final class HeadersHelper {

  private static final int MAX_OUTPUT = 64 * 1024;

  private final Vertx vertx;
  private final Sensitive command;
  private final Sensitive server;
  private final Duration timeout;

  /**
   * @param server URL of the MCP endpoint; the command reads it from {@code MCP_SERVER_URL}
   * @param timeout after this time the command is killed
   */
  HeadersHelper(Vertx vertx, Sensitive command, Sensitive server, Duration timeout) {
    this.vertx = vertx;
    this.command = command;
    this.server = server;
    this.timeout = timeout;
  }

  /** Runs the command once; fails with an {@link IOException} that names the remedy. */
  Future<Map<String, Sensitive>> run() {
    return vertx.executeBlocking(this::blocking, false);
  }

  private Map<String, Sensitive> blocking() throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder("/bin/sh", "-c", command.reveal())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")));
    Map<String, String> given = ChildEnvironment.of(System.getenv());
    given.put("MCP_SERVER_URL", server.reveal());
    builder.environment().clear();
    builder.environment().putAll(given);
    Process process = builder.start();
    long timer = vertx.setTimer(timeout.toMillis(), id -> kill(process));
    byte[] output;
    try {
      output = process.getInputStream().readNBytes(MAX_OUTPUT + 1);
    } finally {
      if (vertx.cancelTimer(timer) && !process.waitFor(1, TimeUnit.SECONDS)) {
        kill(process);
      }
    }
    if (!process.waitFor(1, TimeUnit.SECONDS) || process.exitValue() != 0) {
      throw new IOException(
          "the headersHelper failed or took longer than "
              + timeout.toSeconds()
              + " s: run it by hand to see why");
    }
    return parse(output);
  }

  private static void kill(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  private static Map<String, Sensitive> parse(byte[] output) throws IOException {
    Map<String, Sensitive> headers = new LinkedHashMap<>();
    try {
      if (output.length <= MAX_OUTPUT) {
        for (Map.Entry<String, Object> member : new JsonObject(Buffer.buffer(output))) {
          headers.put(member.getKey(), Sensitive.of((String) member.getValue()));
        }
        return Map.copyOf(headers);
      }
    } catch (DecodeException | ClassCastException | NullPointerException e) {
      // the exception below does not show the output
    }
    throw new IOException(
        "the headersHelper must print one JSON object of texts, such as {\"X-Key\": \"value\"}");
  }
}
