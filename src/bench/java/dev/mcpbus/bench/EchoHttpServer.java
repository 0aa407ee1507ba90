package dev.mcpbus.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;

/** The fixture {@code src/bench/c/echo_http.c} in its own process. */
public final class EchoHttpServer implements AutoCloseable {

  private final Process process;
  private final int port;

  public EchoHttpServer(Path program) throws IOException {
    process =
        new ProcessBuilder(program.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String line =
        new BufferedReader(
                new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))
            .readLine();
    if (line == null) {
      throw new IOException(program + " has ended; its stderr says why");
    }
    port = Integer.parseInt(line);
  }

  public String url() {
    return "http://127.0.0.1:" + port + "/mcp";
  }

  /** CPU that it has used so far, to 10 ms. */
  Duration cpu() {
    return process.toHandle().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  @Override
  public void close() {
    process.destroy();
  }
}
