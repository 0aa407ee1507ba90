package dev.mcpbus.directory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerUriTest {

  private static final List<String> SERVERS = List.of("s", "app-a", "x1");

  /** What URIs are made of, and what the forms insert. */
  private static final List<String> PARTS =
      List.of(
          "ui", "FILE", "mcp+s", "mcp+t", "s", "app-a", ":", "/", "//", "{+path}", "{x}", "?q=1",
          "#f", "%2F", "%2f", "ü", "日本", "@", ".", "");

  @ParameterizedTest
  @CsvSource({
    "ui://app/view.html,ui://s/app/view.html",
    "file:///etc/hosts,file://s//etc/hosts",
    "file://{+path},file://s/{+path}",
    "https://Host:8080/A%2Fb?q#f,https://s/Host:8080/A%2Fb?q#f",
    "ui://app,ui://s/app",
    "ui://,ui://s/",
    "urn:a:b,urn:mcp+s:a:b",
    "memo:x,memo:mcp+s:x",
    "memo:/x,memo:mcp+s:/x",
    "a/b,mcp+s:a/b",
    "//a/b,mcp+s://a/b",
    "{scheme}://a,mcp+s:{scheme}://a",
    "mcp+t:ui://a,mcp+s:mcp+t:ui://a",
    "日本:x,mcp+s:日本:x",
  })
  void the_form_keeps_the_scheme_and_can_be_read_back(String uri, String name) {
    assertThat(ServerUri.of("s", uri)).isEqualTo(name);
    assertThat(ServerUri.read(name)).isEqualTo(new ServerUri("s", uri));
    assertThat(ServerUri.read("mcp+s:" + uri)).isEqualTo(new ServerUri("s", uri));
  }

  @Test
  void no_two_resources_have_the_same_form_and_each_form_leads_back() {
    Random random = new Random(15);
    Map<String, ServerUri> seen = new HashMap<>();
    for (int i = 0; i < 200_000; i++) {
      StringBuilder uri = new StringBuilder();
      for (int parts = random.nextInt(6); parts >= 0; parts--) {
        uri.append(PARTS.get(random.nextInt(PARTS.size())));
      }
      ServerUri resource =
          new ServerUri(SERVERS.get(random.nextInt(SERVERS.size())), uri.toString());
      String name = ServerUri.of(resource.server(), resource.uri());
      assertThat(ServerUri.read(name)).as(name).isEqualTo(resource);
      assertThat(seen.merge(name, resource, (first, second) -> first)).isEqualTo(resource);
    }
    assertThat(seen).hasSizeGreaterThan(50_000);
  }

  @Test
  void what_names_no_server_is_not_read_as_if_it_did() {
    for (String uri :
        List.of("ui://app", "file:///a", "ui://App/x", "ui://a.b/x", "memo:x", "x", "", "mcp+:x")) {
      assertThat(ServerUri.read(uri)).as(uri).isNull();
    }
  }
}
