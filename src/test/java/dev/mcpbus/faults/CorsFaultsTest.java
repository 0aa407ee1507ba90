package dev.mcpbus.faults;

import static dev.mcpbus.faults.DoorBed.ROOT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.internals.RecordCopy;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the answers of every path of every door say to pages of other origins. */
class CorsFaultsTest {

  private static final String LISTED = "https://app.example";
  private static final BridgeOptions LISTING =
      RecordCopy.with(
          BridgeOptions.DEFAULT.withPort(0),
          Map.of("allowedHosts", Set.of(), "allowedOrigins", Set.of(LISTED)));

  /** Paths that do not describe themselves: of the gateway, SockJS, the console, and of no door. */
  private static final List<String> OTHERS =
      List.of(
          "/",
          "/mcp",
          "/mcp/a",
          "/mcp/nobody",
          "/sse",
          "/.well-known/oauth-protected-resource",
          "/.well-known/oauth-protected-resource/mcp",
          "/health",
          "/unknown",
          "/console/main.js",
          "/console/app.html",
          "/console/unknown.js",
          "/eventbus",
          "/eventbus/",
          "/eventbus/info",
          "/eventbus/iframe.html",
          "/eventbus/iframe-1.5.2.html",
          "/eventbus/chunking_test",
          "/eventbus/websocket",
          "/eventbus/0/a/websocket",
          "/eventbus/0/a/xhr",
          "/eventbus/0/a/xhr_send",
          "/eventbus/0/a/xhr_streaming",
          "/eventbus/0/a/eventsource",
          "/eventbus/0/a/htmlfile?c=f",
          "/eventbus/0/a/jsonp?c=f",
          "/eventbus/0/a/jsonp_send");

  /**
   * Each path with each method that a page can send, and all routes as they describe themselves.
   */
  private static List<String> requests(DoorBed bed) {
    List<String> requests = new ArrayList<>();
    for (String path : OTHERS) {
      Stream.of("GET", "POST", "OPTIONS", "HEAD").forEach(m -> requests.add(m + " " + path));
    }
    bed.routes().forEach(one -> requests.add(one.method() + " " + one.path()));
    bed.routes().forEach(one -> requests.add("OPTIONS " + one.path()));
    assertThat(requests).hasSizeGreaterThan(200);
    return requests;
  }

  /** The head of the answer as its lines in lower case; a stream's body is not waited for. */
  private static List<String> head(DoorBed bed, String request, String headers) throws IOException {
    String own = "127.0.0.1:" + bed.bus.port();
    String text =
        request
            + " HTTP/1.1\r\nHost: "
            + own
            + "\r\nAuthorization: Bearer "
            + ROOT.key()
            + "\r\nTimeout: 300\r\nContent-Length: 0\r\n"
            + headers.replace("OWN", own)
            + "\r\n";
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), bed.bus.port())) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
      InputStream in = socket.getInputStream();
      for (int next = in.read(); next >= 0; next = in.read()) {
        read.write(next);
        if (read.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
          break;
        }
      }
    }
    return read.toString(StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT).lines().toList();
  }

  private static List<String> cors(List<String> head) {
    return head.stream().filter(line -> line.startsWith("access-control-")).toList();
  }

  @Test
  void no_answer_of_any_door_lets_an_origin_in_that_is_not_listed() throws IOException {
    try (DoorBed bed = new DoorBed(LISTING, DoorBed.keys())) {
      for (String request : requests(bed)) {
        for (String own : List.of("", "Origin: http://OWN\r\n")) {
          List<String> head = head(bed, request, own);
          assertThat(cors(head)).as(request + " " + own).isEmpty();
          assertThat(head).as(request).anyMatch(line -> line.matches("vary: .*origin.*"));
        }
        for (String foreign :
            List.of(
                "https://evil.example", "null", "http://app.example", "https://app.example:1")) {
          List<String> head = head(bed, request, "Origin: " + foreign + "\r\n");
          assertThat(head.get(0)).as(request + " " + foreign).startsWith("http/1.1 403");
          assertThat(cors(head)).as(request + " " + foreign).isEmpty();
          assertThat(head).as(request).anyMatch(line -> line.matches("vary: .*origin.*"));
        }
      }
    }
  }

  @Test
  void a_listed_origin_is_named_once_and_gets_no_cookies() throws IOException {
    try (DoorBed bed = new DoorBed(LISTING, DoorBed.keys())) {
      for (String request : requests(bed)) {
        List<String> head = head(bed, request, "Origin: " + LISTED + "\r\n");
        assertThat(cors(head))
            .as(request)
            .filteredOn(line -> line.startsWith("access-control-allow-"))
            .containsExactly("access-control-allow-origin: " + LISTED);
        assertThat(head).as(request).anyMatch(line -> line.matches("vary: .*origin.*"));
      }
    }
  }

  @Test
  void without_listed_origins_no_answer_speaks_of_origins() throws IOException {
    try (DoorBed bed = new DoorBed(DoorBed.keys())) {
      for (String request : requests(bed)) {
        List<String> head = head(bed, request, "Origin: http://OWN\r\n");
        assertThat(cors(head)).as(request).isEmpty();
        assertThat(head).as(request).noneMatch(line -> line.matches("vary: .*origin.*"));
      }
    }
  }

  @Test
  void one_class_alone_writes_headers_of_cors() throws IOException {
    try (Stream<Path> all = Files.walk(Path.of("src/main/java"))) {
      List<String> writers = new ArrayList<>();
      for (Path file : all.filter(file -> file.toString().endsWith(".java")).toList()) {
        if (Files.readString(file).contains("Access-Control-Allow")) {
          writers.add(String.valueOf(file.getFileName()));
        }
      }
      assertThat(writers).containsExactly("OriginGuard.java");
    }
  }
}
