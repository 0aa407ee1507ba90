package dev.mcpbus.doctor;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Looks at what speaks at a port in place of HTTP: sends one {@code GET} over plain TCP and reads
 * the first bytes. Blocks for 4 s at most.
 */
final class WireProbe {

  private static final int PATIENCE_MILLIS = 1_000;
  private static final int MAX_BYTES = 1_024;

  private WireProbe() {}

  /** What is wrong; empty where HTTP speaks, or nothing does. */
  static Optional<Finding> look(Endpoint endpoint) {
    if (endpoint.proxy(System.getenv()) != null) {
      return Optional.empty();
    }
    byte[] said = said(endpoint);
    String text = new String(said, StandardCharsets.ISO_8859_1);
    boolean alert = said.length > 1 && (said[0] == 0x15 || said[0] == 0x16) && said[1] == 3;
    boolean tls =
        alert
            || text.matches("(?is)HTTP/1\\.\\d 400 .*\\bhttps\\b.*")
            || (said.length == 0 && TlsCheck.isSpoken(endpoint));
    if (tls) {
      return Optional.of(
          Finding.of(
              DoctorCause.TLS_WANTED,
              "What listens at " + endpoint.place() + " speaks TLS",
              "Write https:// in place of http:// in \"url\""));
    }
    if (text.isBlank() || text.startsWith("HTTP/")) {
      return Optional.empty();
    }
    String line = text.lines().findFirst().orElse("").strip();
    return Optional.of(
        Finding.of(
                DoctorCause.NOT_HTTP,
                "What listens at " + endpoint.place() + " does not speak HTTP" + guess(line),
                "Correct the port in \"url\"")
            .with(line.chars().allMatch(c -> c >= 0x20 && c < 0x7F) ? List.of(line) : List.of()));
  }

  static boolean speaksHttp(Endpoint endpoint) {
    return new String(said(endpoint), StandardCharsets.ISO_8859_1).startsWith("HTTP/");
  }

  private static String guess(String line) {
    if (line.startsWith("SSH-")) {
      return ", but SSH";
    }
    if (line.startsWith("220 ")) {
      return ", but SMTP or FTP";
    }
    if (line.startsWith("-ERR")) {
      return ", but Redis or POP3";
    }
    if (line.contains("mysql") || line.contains("MariaDB")) {
      return ", but MySQL";
    }
    return "";
  }

  private static byte[] said(Endpoint endpoint) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(endpoint.host(), endpoint.port()), PATIENCE_MILLIS);
      socket.setSoTimeout(PATIENCE_MILLIS);
      String request =
          "GET "
              + endpoint.path()
              + " HTTP/1.1\r\nHost: "
              + endpoint.place()
              + "\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
      InputStream in = socket.getInputStream();
      byte[] first = new byte[MAX_BYTES];
      int length = 0;
      long until = System.nanoTime() + PATIENCE_MILLIS * 1_000_000L;
      while (length < MAX_BYTES && System.nanoTime() - until < 0) {
        int read = readSome(in, first, length);
        if (read <= 0) {
          break;
        }
        length += read;
      }
      return Arrays.copyOf(first, length);
    } catch (IOException e) {
      return new byte[0];
    }
  }

  /** What came before a time-out or a reset counts all the same. */
  private static int readSome(InputStream in, byte[] to, int at) {
    try {
      return in.read(to, at, to.length - at);
    } catch (IOException e) {
      return -1;
    }
  }
}
