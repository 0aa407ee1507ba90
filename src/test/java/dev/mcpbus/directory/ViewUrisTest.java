package dev.mcpbus.directory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.ListKind;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.security.AccessPolicy;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which server a URI leads to, by lists alone. */
class ViewUrisTest {

  private static final DirectoryView ALL = DirectoryView.all(AccessPolicy.WHOLE, false);

  private TestLists lists = TestLists.NONE;

  private void resources(String server, String... uris) {
    list(server, ListKind.RESOURCES, "uri", uris);
  }

  private void templates(String server, String... uris) {
    list(server, ListKind.TEMPLATES, "uriTemplate", uris);
  }

  private void list(String server, ListKind kind, String key, String... uris) {
    List<String> entries = new ArrayList<>();
    for (String uri : uris) {
      entries.add("{\"" + key + "\":\"" + uri + "\",\"name\":\"n\"}");
    }
    put(server, kind, "{\"" + kind.member + "\":[" + String.join(",", entries) + "]}");
  }

  private void put(String server, ListKind kind, String result) {
    try {
      lists = lists.with(server, kind, result);
    } catch (ProtocolException e) {
      throw new AssertionError(e);
    }
  }

  private ViewUris uris() {
    return lists.snapshot().uris(ALL);
  }

  private List<String> listed(ListKind kind) {
    return lists.snapshot().list(ALL, kind).targets().stream().map(ViewList.Target::name).toList();
  }

  /** Server and the server's own URI; or what to use instead. */
  private String led(String uri) {
    return text(uris().route(uri));
  }

  private static String text(ViewUris.UriRoute route) {
    ViewList.Target target = route.target();
    return target == null ? route.instead().toString() : target.server() + " " + target.key();
  }

  /** The SDK of Python before 2.0 refuses a list for one relative URI. */
  @Test
  void a_uri_without_a_scheme_names_its_server() {
    resources("a", "users/me", "/etc/hosts", "my_app://x", "memo:x", "note://My Notes/a b");
    assertThat(listed(ListKind.RESOURCES))
        .containsExactly(
            "mcp+a:users/me",
            "mcp+a:/etc/hosts",
            "mcp+a:my_app://x",
            "memo:x",
            "note://a/My Notes/a b");
    assertThat(led("mcp+a:users/me")).isEqualTo("a users/me");
    assertThat(led("users/me")).isEqualTo("a users/me");
  }

  @Test
  void of_a_uri_that_two_servers_list_each_names_its_server_and_the_plain_one_leads_nowhere() {
    resources("a", "ui://app/view", "file:///x", "memo:x", "alone://x");
    resources("b", "ui://app/view", "file:///x", "memo:x");
    assertThat(listed(ListKind.RESOURCES))
        .containsExactly(
            "ui://a/app/view",
            "file://a//x",
            "memo:mcp+a:x",
            "alone://x",
            "ui://b/app/view",
            "file://b//x",
            "memo:mcp+b:x");
    assertThat(led("ui://app/view")).isEqualTo("[ui://a/app/view, ui://b/app/view]");
    assertThat(led("ui://a/app/view")).isEqualTo("a ui://app/view");
    assertThat(led("memo:mcp+b:x")).isEqualTo("b memo:x");
    assertThat(led("mcp+b:memo:x")).isEqualTo("b memo:x");
    assertThat(led("alone://x")).isEqualTo("a alone://x");
  }

  @Test
  void a_server_that_comes_up_later_takes_no_uri_from_another() {
    resources("b", "file:///x");
    assertThat(led("file:///x")).isEqualTo("b file:///x");
    resources("a", "file:///x");
    assertThat(led("file:///x")).isEqualTo("[file://a//x, file://b//x]");
    assertThat(led("file://b//x")).isEqualTo("b file:///x");
  }

  @Test
  void an_unlisted_uri_leads_to_the_one_server_that_the_lists_speak_for() {
    resources("a", "db://main/one", "x://a1/b");
    templates("a", "file:///{+path}");
    resources("b", "db://other/one", "y:1");
    templates("b", "file:///docs/{page}");
    resources("c");
    templates("c");
    assertThat(led("file:///docs/1")).as("longest prefix").isEqualTo("b file:///docs/1");
    assertThat(led("file:///etc/1")).as("template").isEqualTo("a file:///etc/1");
    assertThat(led("db://main/two")).as("authority").isEqualTo("a db://main/two");
    assertThat(led("DB://MAIN/two")).as("authority, ignoring case").isEqualTo("a DB://MAIN/two");
    assertThat(led("x://else")).as("scheme").isEqualTo("a x://else");
    assertThat(led("db://third/two"))
        .as("two servers have the scheme")
        .isEqualTo("[db://a/third/two, db://b/third/two]");
    assertThat(led("z:1")).as("both have resources").isEqualTo("[z:mcp+a:1, z:mcp+b:1]");
    assertThat(led("z://c/1")).as("written").isEqualTo("c z://1");
  }

  @Test
  void the_only_server_with_resources_has_every_unlisted_uri() {
    resources("a", "db://main/one");
    put("b", ListKind.TOOLS, "{\"tools\":[]}");
    assertThat(led("anything")).isEqualTo("a anything");
  }

  @Test
  void a_template_that_overlaps_with_anything_of_another_server_names_its_server() {
    templates("a", "file:///{path}", "db://a1/{x}", "both:{x}", "hello://{name}", "users://{id}/p");
    templates("b", "file:///docs/{page}", "both:{x}");
    resources("b", "db://a1/listed");
    assertThat(listed(ListKind.TEMPLATES))
        .containsExactly(
            "file://a//{path}",
            "db://a/a1/{x}",
            "both:mcp+a:{x}",
            "hello://{name}",
            "users://a/{id}/p",
            "file://b//docs/{page}",
            "both:mcp+b:{x}");
    assertThat(led("file://a//docs/1")).isEqualTo("a file:///docs/1");
    assertThat(led("users://a/b/p")).as("the id of a server").isEqualTo("a users://b/p");
    assertThat(text(uris().template("both:{x}"))).isEqualTo("[both:mcp+a:{x}, both:mcp+b:{x}]");
    assertThat(text(uris().template("both:mcp+b:{x}"))).isEqualTo("b both:{x}");
    assertThat(text(uris().template("hello://{name}"))).isEqualTo("a hello://{name}");
  }

  @Test
  void a_server_whose_uris_begin_with_its_id_keeps_them() {
    resources("a", "ui://a/view", "ui://other/view");
    templates("a", "ui://a/{x}");
    resources("b", "ui://a/view", "ui://other/view");
    assertThat(listed(ListKind.RESOURCES))
        .containsExactly(
            "ui://a/view", "mcp+a:ui://other/view", "ui://b/a/view", "ui://b/other/view");
    assertThat(listed(ListKind.TEMPLATES)).containsExactly("ui://a/{x}");
    assertThat(led("ui://a/view")).isEqualTo("a ui://a/view");
    assertThat(led("ui://a/unlisted")).isEqualTo("a ui://a/unlisted");
    assertThat(led("ui://b/a/view")).isEqualTo("b ui://a/view");
  }

  @Test
  void a_uri_that_reads_as_one_of_another_server_changes_its_server_for_nobody() {
    resources("b", "ui://a/view", "urn:mcp+a:x");
    assertThat(led("ui://a/view")).isEqualTo("b ui://a/view");
    resources("a", "ui://view", "urn:x");
    assertThat(led("ui://a/view")).isEqualTo("[mcp+a:ui://view, ui://b/a/view]");
    assertThat(led("urn:mcp+a:x")).isEqualTo("[mcp+a:urn:x, urn:mcp+b:mcp+a:x]");
    resources("c", "ui://view", "urn:x");
    assertThat(listed(ListKind.RESOURCES))
        .containsExactly(
            "mcp+a:ui://view",
            "mcp+a:urn:x",
            "ui://b/a/view",
            "urn:mcp+b:mcp+a:x",
            "ui://c/view",
            "urn:mcp+c:x");
    for (String name : listed(ListKind.RESOURCES)) {
      assertThat(led(name)).doesNotStartWith("[");
    }
  }

  @Test
  void what_looks_like_the_form_of_the_gateway_is_always_written_with_its_server() {
    resources("b", "mcp+a:ui://view");
    assertThat(listed(ListKind.RESOURCES)).containsExactly("mcp+b:mcp+a:ui://view");
    assertThat(led("mcp+a:ui://view")).isEqualTo("[mcp+b:mcp+a:ui://view]");
    resources("a", "ui://view");
    assertThat(led("mcp+a:ui://view")).isEqualTo("a ui://view");
  }

  @Test
  void what_one_server_lists_does_not_make_the_others_slow() {
    List<String> uris = new ArrayList<>();
    List<String> patterns = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      uris.add("x://h/" + "a".repeat(100) + i);
    }
    for (int i = 0; i < 900; i++) {
      patterns.add("x://h/{a}" + "a".repeat(40) + "b" + i + "{b}");
    }
    resources("a", "x://h/1");
    templates("a", "x://h/{a}/t");
    resources("b", uris.toArray(String[]::new));
    templates("b", patterns.toArray(String[]::new));
    assertThat(duration(() -> listed(ListKind.RESOURCES))).isLessThan(Duration.ofSeconds(30));
    assertThat(duration(() -> listed(ListKind.TEMPLATES))).isLessThan(Duration.ofSeconds(30));
    String longest = "x://h/" + "a".repeat(4_000);
    String longer = "x://h/" + "a".repeat(1_000_000);
    assertThat(
            duration(
                () -> {
                  for (int i = 0; i < 20; i++) {
                    led(longest);
                    led(longer);
                    uris().name("b", longest);
                  }
                }))
        .isLessThan(Duration.ofSeconds(30));
    templates("c", patterns.toArray(String[]::new));
    assertThat(led("x://a/h/1/t")).isEqualTo("a x://h/1/t");
    assertThat(listed(ListKind.TEMPLATES)).allMatch(name -> name.matches("x://[abc]/h/.*"));
  }

  @Test
  void lists_of_the_same_uris_and_a_name_of_megabytes_cost_little() {
    String[] uris = new String[40_000];
    Arrays.setAll(uris, i -> "x://h/" + i);
    resources("a", uris);
    resources("b", uris);
    String[] patterns = new String[900];
    Arrays.setAll(patterns, i -> "t" + i + "://{a}x");
    templates("c", patterns);
    assertThat(duration(() -> listed(ListKind.RESOURCES))).isLessThan(Duration.ofSeconds(30));
    assertThat(led("x://a/h/7")).isEqualTo("a x://h/7");
    String id = "mcp+" + "a".repeat(4_000_000) + ":x";
    assertThat(duration(() -> led(id))).isLessThan(Duration.ofSeconds(30));
  }

  @Test
  void a_path_of_any_length_is_looked_up_among_skills_in_no_time() {
    put(
        "a",
        ListKind.SKILLS,
        "{\"skills\":[{\"uri\":\"skill://s/SKILL.md\",\"resources\":\"dynamic\"}]}");
    ViewList skills = lists.snapshot().list(ALL, ListKind.SKILLS);
    assertThat(SkillNames.owner(skills, "skill://s/a/b")).isNotNull();
    assertThat(
            duration(
                () ->
                    assertThat(SkillNames.owner(skills, "skill://s" + "/".repeat(200_000)))
                        .isNull()))
        .isLessThan(Duration.ofSeconds(30));
  }

  /** CPU time of this thread: other programs on the machine take none of it. */
  private static Duration duration(Runnable work) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long since = threads.getCurrentThreadCpuTime();
    work.run();
    return Duration.ofNanos(threads.getCurrentThreadCpuTime() - since);
  }

  @Test
  void a_tools_user_interface_is_read_at_its_own_server() {
    String tool =
        "{\"tools\":[{\"name\":\"t\",\"_meta\":{\"ui\":{\"visibility\":[\"app\"],"
            + "\"resourceUri\":\"ui://t/view\"},\"ui/resourceUri\":\"ui://t/view\"}}]}";
    put("a", ListKind.TOOLS, tool);
    assertThat(entry("a__t")).contains("\"resourceUri\":\"ui://t/view\"");
    put("b", ListKind.TOOLS, tool);
    assertThat(entry("b__t"))
        .contains("{\"visibility\":[\"app\"],\"resourceUri\":\"ui://b/t/view\"}")
        .contains("\"ui/resourceUri\":\"ui://b/t/view\"");
    assertThat(led("ui://b/t/view")).isEqualTo("b ui://t/view");
    assertThat(led("ui://t/view")).isEqualTo("[ui://a/t/view, ui://b/t/view]");
  }

  private String entry(String name) {
    return String.valueOf(lists.snapshot().list(ALL, ListKind.TOOLS).entry(name));
  }

  @Test
  void a_view_of_one_server_and_one_without_prefixes_have_the_servers_own_uris() {
    resources("a", "file:///x", "ui://b/x");
    resources("b", "file:///x");
    ViewUris one = lists.snapshot().uris(DirectoryView.ofServer("a", AccessPolicy.WHOLE, true));
    assertThat(text(one.route("file:///x"))).isEqualTo("a file:///x");
    assertThat(text(one.route("ui://b/x"))).isEqualTo("a ui://b/x");
    assertThat(one.name("a", "file:///x")).isEqualTo("file:///x");
    ViewOptions never =
        new ViewOptions(
            List.of(), List.of(), List.of(), Map.of(), false, false, List.of(), true, false);
    DirectoryView plain = new DirectoryView("v", false, never, AccessPolicy.WHOLE);
    ViewList shown = lists.snapshot().list(plain, ListKind.RESOURCES);
    assertThat(shown.targets()).extracting(ViewList.Target::name).containsExactly("ui://b/x");
    assertThat(text(lists.snapshot().uris(plain).route("file:///x")))
        .isEqualTo("[file://a//x, file://b//x]");
  }

  @Test
  void every_name_leads_back_to_its_resource_whatever_servers_list() {
    everyNameLeadsBack(300);
  }

  @Tag("long")
  @Test
  void every_name_leads_back_to_its_resource_whatever_many_servers_list() {
    everyNameLeadsBack(3_000);
  }

  private void everyNameLeadsBack(int rounds) {
    Random random = new Random(15);
    List<String> parts =
        List.of("ui://", "x:", "a", "b", "c", "/", "mcp+a:", "{+p}", "{x}", "ü", "%2F", "app");
    for (int round = 0; round < rounds; round++) {
      lists = TestLists.NONE;
      for (String server : List.of("a", "b", "c")) {
        resources(server, some(random, parts, false));
        templates(server, some(random, parts, true));
      }
      ViewUris uris = uris();
      Map<String, String> names = new HashMap<>();
      for (String server : List.of("a", "b", "c")) {
        for (int i = 0; i < 6; i++) {
          String uri = text(random, parts, false);
          String name = uris.name(server, uri);
          String own = server + " " + uri;
          assertThat(text(uris.route(name)))
              .as(lists.snapshot().servers().toString())
              .isEqualTo(own);
          assertThat(names.merge(name, own, (first, second) -> first)).isEqualTo(own);
        }
      }
      for (ViewList.Target one : lists.snapshot().list(ALL, ListKind.RESOURCES).targets()) {
        assertThat(text(uris.route(one.name()))).isEqualTo(one.server() + " " + one.key());
      }
      for (ViewList.Target one : lists.snapshot().list(ALL, ListKind.TEMPLATES).targets()) {
        assertThat(text(uris.template(one.name()))).isEqualTo(one.server() + " " + one.key());
        if (one.key().contains("{") && ServerUri.scheme(one.key()) != null) {
          ViewList.Target led =
              Objects.requireNonNull(
                  uris.route(expanded(one.name())).target(),
                  () -> one + " of " + lists.snapshot().servers());
          assertThat(led.server()).as(one.toString()).isEqualTo(one.server());
        }
      }
    }
  }

  private static String expanded(String template) {
    return template.replace("{+p}", "docs/1").replace("{x}", "1");
  }

  private static String[] some(Random random, List<String> parts, boolean templates) {
    String[] some = new String[random.nextInt(4)];
    for (int i = 0; i < some.length; i++) {
      some[i] = text(random, parts, templates);
    }
    return some;
  }

  private static String text(Random random, List<String> parts, boolean template) {
    StringBuilder text = new StringBuilder();
    while (text.isEmpty()) {
      for (int i = random.nextInt(5); i >= 0; i--) {
        String part = parts.get(random.nextInt(parts.size()));
        text.append(!template && part.startsWith("{") ? "" : part);
      }
    }
    return text.toString();
  }
}
