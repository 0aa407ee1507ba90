package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What servers may take a URI for. */
class UriFormsTest {

  private static boolean matches(String glob, String uri) {
    return UriForms.of(uri).matches(UriForms.pattern(glob));
  }

  @Test
  void a_file_is_recognized_however_its_uri_is_written() {
    for (String uri :
        List.of(
            "file:///etc/secret.txt",
            "FILE:///etc/secret.txt",
            "file:///etc/SECRET.txt",
            "file:///etc/secret%2Etxt",
            "file:///etc/secret%252etxt",
            "file:///%65tc/%73ecret.txt",
            "file:///etc/./secret.txt",
            "file:///etc/x/../secret.txt",
            "file:///etc/x/%2e%2E/secret.txt",
            "file:///etc/x%2f..%2fsecret.txt",
            "file:///etc/x/..;a/secret.txt",
            "file:///etc//secret.txt",
            "file:////etc/secret.txt",
            "file:///etc\\secret.txt",
            "file:///etc/secret.txt?",
            "file:///etc/secret.txt?a=/../../b",
            "file:///etc/secret.txt#a",
            "file:///etc/secret.txt/",
            "file:/etc/secret.txt",
            "file:etc/secret.txt",
            "file://localhost/etc/secret.txt",
            "file://other/etc/secret.txt",
            " file:///etc/secret.txt\n",
            "file:///etc/sec\tret.txt",
            "file:///etc/.\u200b./etc/secret.txt",
            "file:///etc/\uff53ecret.txt",
            "file:///etc/\u017fecret.txt")) {
      assertThat(matches("file:///etc/secret.txt", uri)).as(uri).isTrue();
      assertThat(matches("file:///etc/secret*", uri)).as(uri).isTrue();
      assertThat(matches("*/secret.txt", uri)).as(uri).isTrue();
      assertThat(matches("file:*", uri)).as(uri).isTrue();
      assertThat(matches("file:///etc/other", uri)).as(uri).isFalse();
    }
  }

  @Test
  void hosts_are_compared_without_userinfo_case_and_default_port() {
    for (String uri :
        List.of(
            "https://HOST.example/a",
            "https://host.example:443/a",
            "https://host.example:/a",
            "https://me:pw@host.example/a",
            "https:/host.example/a",
            "https:\\\\host.example\\a",
            "https://host.example/b/../a")) {
      assertThat(matches("https://host.example/a", uri)).as(uri).isTrue();
    }
    assertThat(matches("https://host.example/", "https://host.example")).isTrue();
    assertThat(matches("https://host.example/a", "https://host.example:8443/a")).isTrue();
    assertThat(matches("https://host.example:8443/a", "https://host.example/a")).isFalse();
    assertThat(matches("https://host.example:8443/a", "https://host.example:9/a")).isFalse();
    assertThat(matches("https://host.example/a", "https://other.example/a")).isFalse();
    assertThat(matches("http://[::1]/a", "http://[::1]:80/a")).isTrue();
  }

  @Test
  void the_host_of_other_schemes_may_be_a_folder() {
    assertThat(matches("skill://secret/*", "skill://open/../secret/SKILL.md")).isTrue();
    assertThat(matches("ui://a/b", "ui://a/c/../../../b")).isTrue();
    assertThat(matches("memo:secret", "memo:a/../secret")).isTrue();
    assertThat(matches("urn:a:b", "URN:A:b")).isTrue();
    assertThat(matches("docs/secret", "docs/./secret")).isTrue();
    assertThat(matches("*://secret/*", "x://secret/a")).isTrue();
    assertThat(matches("data:*", "data:,a")).isTrue();
  }

  @Test
  void what_leads_out_of_a_folder_is_seen() {
    for (String uri :
        List.of("x://a/../b", "x://a/%2e%2e/b", "x://a/.%2fb/..", "x:..\\b", "x://a/.\t./b")) {
      assertThat(UriForms.of(uri).climbs()).as(uri).isTrue();
    }
    for (String uri : List.of("x://a/b", "x://a/..b", "x://a/./b", "x://a/b...", "x://a/{+b}")) {
      assertThat(UriForms.of(uri).climbs()).as(uri).isFalse();
    }
  }

  @Test
  void a_pattern_for_a_whole_scheme_has_no_folder_that_could_be_left() {
    UriForms climbing = UriForms.of("x://a/../b");
    for (String whole : List.of("*", "**", "x:*", "x://*", "*:*", "file:///*")) {
      assertThat(climbing.stayWithin(whole)).as(whole).isTrue();
    }
    for (String folder : List.of("x://a/*", "x://*/b", "x:a*", "*a*", "x://?*")) {
      assertThat(climbing.stayWithin(folder)).as(folder).isFalse();
    }
  }

  @Test
  void queries_of_patterns_count() {
    assertThat(matches("db://q?table=secret", "db://q?table=%73ecret")).isTrue();
    assertThat(matches("db://q?table=secret", "db://q?table=open")).isFalse();
    assertThat(matches("x://docs/*", "x://docs")).isFalse();
  }

  @Test
  void every_text_has_forms() {
    for (String text : List.of("", "%", "%%", "%zz", ":", "/", "//", "file:", "x:%ff", "a:b:c")) {
      assertThat(UriForms.of(text).matches(UriForms.pattern("*"))).as(text).isTrue();
      assertThat(UriForms.of(text).matches(UriForms.pattern(text))).as(text).isTrue();
    }
  }

  @Test
  void a_server_in_c_reads_no_further_than_a_nul() {
    for (String uri :
        List.of(
            "file:///etc/secret.txt\u0000.png",
            "file:///etc/secret.txt%00.png",
            "file:///etc/secret.txt%2500.png",
            "file:///etc/secret.txt?a\u0000")) {
      assertThat(matches("file:///etc/secret.txt", uri)).as(uri).isTrue();
    }
    assertThat(matches("delete_all", "Delete_All\u0000x")).isTrue();
    assertThat(matches("file:///etc/secret.txt", "file:///etc/\u0000secret.txt.png")).isFalse();
  }

  @Test
  void a_server_that_is_a_mcpbus_reads_one_of_its_servers_from_a_uri() {
    assertThat(matches("file:///secret/*", "mcp+files:file:///secret/a")).isTrue();
    assertThat(matches("file:///secret/*", "mcp+outer:mcp+files:FILE:///secret/a")).isTrue();
    assertThat(matches("file:///secret/*", "file://files//secret/a")).isTrue();
    assertThat(matches("urn:secret:*", "urn:mcp+files:secret:a")).isTrue();
    assertThat(matches("notes://secret/*", "notes://files/secret/a")).isTrue();
    assertThat(matches("notes://secret/*", "notes://open.example/secret/a")).isFalse();
    assertThat(matches("notes://secret/*", "notes://files/open/secret/a")).isFalse();
  }

  @Test
  void an_authority_is_read_with_and_without_user_port_and_parameters() {
    for (String uri :
        List.of(
            "note://internal/plan",
            "note://a@internal/plan",
            "note://a:b@internal/plan",
            "note://a@b@internal/plan",
            "note://internal@a/plan@internal", // the path has an @, too
            "note://a@internal:99/plan",
            "note://internal:99/plan",
            "note://internal:/plan",
            "note://internal:99:77/plan",
            "note://internal./plan",
            "note://internal\u3002/plan",
            "note://internal;a/plan",
            "note://internal;a=b:99/plan",
            "note://internal/plan;a",
            "note://internal/x;a/../plan;b=c",
            "note://INTERNAL%2e/plan",
            "note://%69nternal/plan",
            "note://internal%3A99/plan",
            "note://a%40internal/plan",
            "note://a%2540internal:99/plan",
            "note://evil%2F@internal/plan",
            "note://evil\\@internal/plan",
            "note://internal\\plan",
            "note://evil?@internal/plan",
            "note://internal/plan#x",
            "note://internal/plan?a#b",
            "note://internal/plan%3fa",
            "note://internal/plan%23a",
            "note:internal/plan",
            "note:/internal/plan",
            "note:///internal/plan",
            "note:////internal//plan",
            "NOTE://\uff49nternal/plan")) {
      boolean other = uri.startsWith("note://internal@a");
      assertThat(matches("note://internal/*", uri)).as(uri).isEqualTo(!other);
      assertThat(matches("note://internal/plan", uri)).as(uri).isEqualTo(!other);
      assertThat(matches("*://internal/*", uri)).as(uri).isEqualTo(!other);
      assertThat(matches("note://inter/*", uri)).as(uri).isFalse();
      assertThat(matches("note://internal/other", uri)).as(uri).isFalse();
    }
    assertThat(matches("x://secret", "x://secret;a")).isTrue();
    assertThat(matches("x://secret", "x://u@secret;a:7")).isTrue();
    assertThat(matches("note://a@internal/*", "note://internal/plan")).isTrue();
    assertThat(matches("note:///internal/*", "note://internal/plan")).isTrue();
    assertThat(matches("note://internal:99/*", "note://internal:98/plan")).isFalse();
    assertThat(matches("note://internal:99/*", "note://a@internal:99/plan")).isTrue();
    assertThat(matches("note://internal:99/*", "note://internal.:0099/plan")).isTrue();
    assertThat(matches("mailto:boss@internal", "MAILTO:boss%40internal?subject=x")).isTrue();
    assertThat(matches("mailto:boss@internal", "mailto://boss@internal")).isTrue();
    assertThat(matches("mailto:boss@internal", "mailto:other@internal")).isFalse();
  }

  @Test
  void a_host_is_read_in_each_form_of_its_address_and_name() {
    for (String uri :
        List.of(
            "http://169.254.169.254/latest",
            "http://2852039166/latest",
            "http://0xa9fea9fe/latest",
            "http://0251.0376.0251.0376/latest",
            "http://169.254.43518/latest",
            "http://169.254.169.254./latest",
            "http://x@169.254.169.254:80/latest",
            "http://[::ffff:169.254.169.254]/latest",
            "http://[::ffff:a9fe:a9fe]:80/latest")) {
      assertThat(matches("http://169.254.169.254/*", uri)).as(uri).isTrue();
    }
    for (String uri :
        List.of(
            "x://[::1]/a",
            "x://[0:0::0:1]/a",
            "x://[0000:0:0:0:0:0:0:0001]:9/a",
            "x://[::1%25lo]/a")) {
      assertThat(matches("x://[::1]/a", uri)).as(uri).isTrue();
      assertThat(matches("x://[::2]/a", uri)).as(uri).isFalse();
    }
    assertThat(matches("note://b\u00fccher/*", "note://xn--bcher-kva/plan")).isTrue();
    assertThat(matches("note://xn--bcher-kva/*", "note://B\u00dcCHER:7/plan")).isTrue();
    assertThat(matches("note://xn--bcher-kva/*", "note://xn--bcher-kvb/plan")).isFalse();
  }

  @Test
  void a_permission_covers_what_it_names_in_one_reading_alone() {
    for (String[] permitted :
        new String[][] {
          {"note://public*", "note://public/a"},
          {"note://public*", "note://public-2?a@b"},
          {"note://a@internal/*", "note://a@internal/x"},
          {"https://*.ok.example/*", "https://a.ok.example/x"},
          {"note://my*", "note://my%20note/x"},
          {"x://a?/b", "x://ab/b"},
          {"x://host?q=*", "x://host?q=1"},
          {"*a*", "x://host/a"},
          {"x:a*", "x:ab@c"}
        }) {
      assertThat(Glob.matches(permitted[0], permitted[1])).isTrue();
      assertThat(UriForms.of(permitted[1]).stayWithin(permitted[0])).as(permitted[1]).isTrue();
    }
    for (String[] other :
        new String[][] {
          {"note://public*", "note://public@internal/plan"},
          {"note://public*", "note://public%40internal/plan"},
          {"note://public*", "note://public\\@internal/plan"},
          {"note://public*", "note://public%2f@internal/plan"},
          {"https://*.ok.example/*", "https://evil.example/?.ok.example/x"},
          {"https://*.ok.example/*", "https://evil.example#.ok.example/x"},
          {"https://*.ok.example/*", "https://evil.example/a.ok.example/x"},
          {"https://*.ok.example/*", "https://u@evil.example%2f.ok.example/x"}
        }) {
      assertThat(Glob.matches(other[0], other[1])).as("%s %s", other[0], other[1]).isTrue();
      assertThat(UriForms.of(other[1]).stayWithin(other[0])).as(other[1]).isFalse();
    }
  }

  @Test
  void a_uri_that_can_be_read_in_very_many_ways_is_denied_by_each_denial() {
    String deep =
        "note://" + "a;@b:".repeat(400) + "%25".repeat(300) + "/?" + "\\%2f;#".repeat(100);
    assertThat(matches("delete_all", deep)).isTrue();
    String usual = "https://me@host.example:8080/" + "a%20b/".repeat(300) + "?q=1&r=%2F#top";
    assertThat(matches("delete_all", usual)).isFalse();
    assertThat(matches("https://host.example/*", usual)).isTrue();
  }
}
