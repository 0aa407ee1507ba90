package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.EchoServer;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.ServiceProcess;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.assertj.core.api.Assertions;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The jar behind a balancer: what it does between SIGTERM and the end of its port. */
@Timeout(120)
class LeavingIT {

  private static final int SIGTERM_EXIT = 128 + 15;
  private static final JsonObject CALL = new JsonObject().put("call", "c").put("deadline", 1);

  @TempDir Path folder;

  private ServiceProcess start(String drain) throws IOException {
    JsonObject servers = new JsonObject().put("s", EchoServer.shell());
    Path file =
        Files.writeString(
            folder.resolve("mcpbus.json"), new JsonObject().put("mcpServers", servers).encode());
    ServiceProcess service =
        ServiceProcess.start(folder, "-c", file.toString(), "-p", "0", "--drain", drain);
    service.awaitReady("s");
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> service.get("/health/ready").status() == 200);
    return service;
  }

  private static void awaitLeaving(ServiceProcess service) {
    Awaitility.await("not ready")
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofMillis(20))
        .until(() -> service.get("/health/ready").status() == 503);
  }

  @Test
  void it_serves_for_the_whole_drain_and_then_closes_its_port() throws IOException {
    try (ServiceProcess service = start("3s")) {
      int port = service.port();
      service.signal("TERM");
      awaitLeaving(service);
      long from = System.nanoTime();
      int served = 0;
      try {
        while (true) {
          Http.Answer answer = service.callTool("s", "echo", CALL);
          assertThat(answer.status()).as(answer.body()).isEqualTo(200);
          served++;
        }
      } catch (AssertionError closed) {
        assertThat(closed).hasRootCauseInstanceOf(IOException.class);
      }
      assertThat(Duration.ofNanos(System.nanoTime() - from))
          .isGreaterThan(Duration.ofMillis(2_500));
      assertThat(served).isGreaterThan(20);
      assertThat(service.awaitExit(Duration.ofSeconds(10))).isEqualTo(SIGTERM_EXIT);
      Assertions.assertThatThrownBy(
              () -> new Socket(InetAddress.getLoopbackAddress(), port).close())
          .isInstanceOf(ConnectException.class);
    }
  }

  @Test
  void a_second_signal_ends_the_wait() throws IOException {
    try (ServiceProcess service = start("1h")) {
      service.signal("TERM");
      awaitLeaving(service);
      assertThat(service.callTool("s", "echo", CALL).status()).isEqualTo(200);
      service.signal("TERM");
      assertThat(service.awaitExit(Duration.ofSeconds(10))).isEqualTo(SIGTERM_EXIT);
      assertThat(service.errText()).contains("a second signal has ended the wait", "has ended");
    }
  }
}
