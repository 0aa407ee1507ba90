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
    assertThat(matches("https://host.example/a", "https://host.example:8443/a")).isFalse();
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
}
