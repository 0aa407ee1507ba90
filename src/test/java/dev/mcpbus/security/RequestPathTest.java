package dev.mcpbus.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.internal.net.RFC3986;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestPathTest {

  /** More runs by {@code -Dmcpbus.fuzz.paths=}. */
  private static final int PATHS = Integer.getInteger("mcpbus.fuzz.paths", 300_000);

  private static final List<String> PIECES =
      List.of(
          "/",
          "/",
          "/",
          "/",
          ".",
          "..",
          "/..",
          "/../",
          "/./",
          "//",
          "\\",
          ";",
          ";x=1",
          "?",
          "?a=b",
          "#",
          "%",
          "%2",
          "%zz",
          "%2e",
          "%2E",
          "%2e%2e",
          "%2f",
          "%2F",
          "%5c",
          "%5C",
          "%00",
          "%0d%0a",
          "%7f",
          "%61",
          "%7E",
          "%252e",
          "%c3%a9",
          "%C0%AF",
          "%ff",
          "%3B",
          "%3b",
          "%25",
          "%20",
          "+",
          "*",
          "~",
          "health",
          "live",
          "ready",
          "api",
          "servers",
          "rpc",
          "mcp",
          "sse",
          "eventbus",
          "websocket",
          ".well-known",
          "a",
          "A",
          "0",
          " ",
          "\t",
          "\0",
          "é",
          "\u2215",
          "\uff0f",
          "\uff0e",
          "http://evil",
          ":",
          "@",
          "[",
          "{",
          "|",
          "\"",
          "<",
          "...",
          ".a",
          "a.",
          "%e2%88%95",
          "%u002e",
          "%%32%65",
          "\u0660");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/",
        "/api",
        "/api/",
        "/api/servers/my-server_1/tools/a.b~c",
        "/api/servers/x/tools/my%20tool",
        "/api/servers/x/tools/%C3%A9t%c3%a9",
        "/api/servers/x/tools/a%3Bb%3fc%23d%25e",
        "/api/servers/x/tools/%252e%252e",
        "/api/servers/x/tools/...",
        "/api/servers/x/tools/.hidden",
        "/api/servers/x/tools/a:b@c!$&'()*+,=",
        "/health/live?",
        "/api/tools/search?q=a/../b//c;d&x=%2e%2F%5c{}|\"",
        "/.well-known/oauth-protected-resource/mcp"
      })
  void a_path_in_its_normal_form_is_accepted(String target) {
    assertThat(RequestPath.problem(target)).isNull();
  }

  @ParameterizedTest
  @NullAndEmptySource
  @ValueSource(
      strings = {
        "*",
        "api",
        "?a=b",
        "http://localhost/api",
        "https://localhost/",
        "localhost:8790",
        "//evil.example/api",
        "/health/../api/servers",
        "/health/..",
        "/health/.",
        "/./api",
        "/..",
        "/health/%2e%2e/api",
        "/health/%2E%2E/api",
        "/health/.%2e/api",
        "/health/%2e./api",
        "/health/%2e",
        "/health/x/../../api",
        "/health/ready;/../../api",
        "/health;x=1/live",
        "/api//servers",
        "/api/servers//",
        "//",
        "/api\\..\\rpc",
        "/api/%2frpc",
        "/api/%2Frpc",
        "/api/%5crpc",
        "/api/%5Crpc",
        "/%61pi",
        "/api/%7euser",
        "/api/%2dx",
        "/api/%",
        "/api/%2",
        "/api/%zz",
        "/api/%u002e",
        "/api/%+1",
        "/api/%-1",
        "/api/%00",
        "/api/%0a",
        "/api/%1f",
        "/api/%7F",
        "/api/%ff",
        "/api/%C0%AF",
        "/api/%C3",
        "/api/%ED%A0%80",
        "/api/é",
        "/api/\u2215",
        "/api/a b",
        "/api/\0",
        "/api/\t",
        "/api/a\"b",
        "/api/<a>",
        "/api/{id}",
        "/api/a|b",
        "/api/a^b",
        "/api/a`b",
        "/api/[a]",
        "/api#x",
        "/api?a=%",
        "/api?a=%g0",
        "/api?a=b#c",
        "/api?a=b c",
        "/api?a=é"
      })
  void any_other_path_is_refused_with_a_reason(String target) {
    assertThat(RequestPath.problem(target)).isNotNull().hasSizeGreaterThan(20).isPrintable();
  }

  @Test
  void every_parser_reads_an_accepted_path_alike() {
    Random random = new Random(20_261_122);
    int passed = 0;
    for (int i = 0; i < PATHS; i++) {
      String target = target(random);
      if (RequestPath.problem(target) != null) {
        continue;
      }
      passed++;
      String path = target.contains("?") ? target.substring(0, target.indexOf('?')) : target;
      assertThat(RFC3986.normalizePath(path)).as("the router's path").isEqualTo(path);
      assertThat(URI.create(path).normalize().getRawPath()).as("the JDK's path").isEqualTo(path);
      String decoded = URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
      assertThat(decoded.chars().filter(c -> c == '/').count())
          .as(path)
          .isEqualTo(path.chars().filter(c -> c == '/').count());
      assertThat(decoded).as(path).doesNotContain("//", "\\", "/../", "/./", "\0", "\ufffd");
      assertThat(decoded).as(path).doesNotEndWith("/..").doesNotEndWith("/.");
    }
    assertThat(passed).as("of %s", PATHS).isBetween(PATHS / 100, PATHS / 2);
  }

  /** A valid path, or one with a single change. */
  static String target(Random random) {
    List<String> pieces = new ArrayList<>();
    int length = 1 + random.nextInt(7);
    for (int i = 0; i < length; i++) {
      String piece = PIECES.get(random.nextInt(PIECES.size()));
      pieces.add(random.nextInt(3) > 0 && !piece.contains("/") ? "/" + piece : piece);
    }
    return String.join("", pieces);
  }
}
