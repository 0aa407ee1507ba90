package dev.mcpbus.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Host names similar to the allowed ones: exactly the allowed ones are admitted. */
@ExtendWith(VertxExtension.class)
class HostAndOriginFuzzTest {

  /** More by {@code -Dmcpbus.fuzz.hosts=}. */
  private static final int REQUESTS = Integer.getInteger("mcpbus.fuzz.hosts", 4_000);

  private static final List<String> BITS =
      List.of(
          ".",
          ":",
          ":80",
          "@",
          "evil",
          "evil.example",
          "%",
          "%2e",
          "/",
          "\\",
          "#",
          "?",
          ",",
          " ",
          "\t",
          "[",
          "]",
          "[::1]",
          "0",
          "127.1",
          "127.0.0.1",
          "localhost",
          "LOCALHOST",
          "null",
          "http://",
          "https://",
          "é",
          "\u00a0",
          "*",
          "0x7f",
          "2130706433",
          "::1",
          "-",
          "_",
          "\"");

  private static String changed(Random random, String name) {
    StringBuilder text = new StringBuilder(name);
    for (int times = random.nextInt(3); times > 0; times--) {
      int at = random.nextInt(text.length() + 1);
      switch (random.nextInt(4)) {
        case 0 -> text.insert(at, BITS.get(random.nextInt(BITS.size())));
        case 1 -> text.append(BITS.get(random.nextInt(BITS.size())));
        case 2 -> text.delete(Math.max(0, at - 1), at);
        default -> {
          if (at < text.length()) {
            char c = text.charAt(at);
            text.setCharAt(
                at, Character.isUpperCase(c) ? Character.toLowerCase(c) : Character.toUpperCase(c));
          }
        }
      }
    }
    return text.toString();
  }

  @Test
  void exactly_our_own_names_are_let_in(Vertx vertx) throws IOException {
    BridgeFixture bridge = new BridgeFixture(vertx);
    Set<String> own =
        Set.of("localhost:" + bridge.port, "127.0.0.1:" + bridge.port, "[::1]:" + bridge.port);
    List<String> names = List.copyOf(own);
    Random random = new Random(20_261_122);
    int letIn = 0;
    for (int i = 0; i < REQUESTS; i++) {
      List<String> hosts = new ArrayList<>();
      List<String> origins = new ArrayList<>();
      for (int n = random.nextInt(12) == 0 ? random.nextInt(3) : 1; n > 0; n--) {
        hosts.add(changed(random, names.get(random.nextInt(3))));
      }
      for (int n = random.nextInt(3) > 0 ? 0 : 1 + random.nextInt(8) / 7; n > 0; n--) {
        origins.add(changed(random, "http://" + names.get(random.nextInt(3))));
      }
      StringBuilder request =
          new StringBuilder("GET /health/live HTTP/1.1\r\nConnection: close\r\n");
      hosts.forEach(host -> request.append("Host: ").append(host).append("\r\n"));
      origins.forEach(origin -> request.append("Origin: ").append(origin).append("\r\n"));
      boolean ours =
          hosts.size() == 1
              && own.contains(sent(hosts.get(0)))
              && origins.size() <= 1
              && origins.stream()
                  .map(HostAndOriginFuzzTest::sent)
                  .allMatch(
                      origin -> origin.startsWith("http://") && own.contains(origin.substring(7)));
      String status = status(bridge, request.append("\r\n").toString());
      if (ours) {
        assertThat(status).as(request.toString()).isEqualTo("200");
        letIn++;
      } else {
        assertThat(status).as(request.toString()).isIn("400", "403");
      }
    }
    assertThat(letIn).as("of %s", REQUESTS).isBetween(REQUESTS / 20, REQUESTS / 2);
  }

  /** As HTTP has it: without space around it, in any case. */
  private static String sent(String value) {
    String text = value;
    while (text.startsWith(" ") || text.startsWith("\t")) {
      text = text.substring(1);
    }
    while (text.endsWith(" ") || text.endsWith("\t")) {
      text = text.substring(0, text.length() - 1);
    }
    return text.toLowerCase(Locale.ROOT);
  }

  private static String status(BridgeFixture bridge, String request) throws IOException {
    try (Socket socket = bridge.connect()) {
      BridgeFixture.write(socket, request);
      String line = new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
      return line.length() == 12 ? line.substring(9) : line;
    }
  }
}
