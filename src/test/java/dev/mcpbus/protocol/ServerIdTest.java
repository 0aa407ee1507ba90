package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.ConnectionId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerIdTest {

  /** The ids are in pins, policies and states of users: they must never change. */
  @ParameterizedTest
  @CsvSource({
    "prod, prod",
    "My_Server 2, my-server-2",
    "io.github.ExampleOrg/devtools-mcp, io-github-exampleorg-devtools-mcp--a6a4def04da8",
    "\u9ad8\u5fb7\u5730\u56fe, server--1ecb3ba10a16",
    "\u041f\u043e\u0433\u043e\u0434\u0430, server--67156fa91e80",
    "B\u00fccher & Noten, bucher-noten--34f24eb3b42c",
    "C++, c--cedb1bac7efc",
    "tools, tools--f9d35d43770d",
    "\u9ad8\u5fb7maps \u041f\u043e\u0433\u043e\u0434\u0430 v2, maps-v2--c62c57803732"
  })
  void a_name_has_the_same_id_for_ever(String name, String id) {
    assertThat(ServerId.of(name)).isEqualTo(id);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PROD",
        " prod ",
        "_prod",
        "prod-",
        "\uFF50\uFF52\uFF4F\uFF44",
        "pr\u043ed",
        "\u0440rod",
        "pr\u200bod",
        "\u3000prod",
        "p\u00ADrod",
        "\uD835\uDC29rod"
      })
  void spellings_of_one_name_have_one_id(String name) {
    assertThat(ServerId.of(name)).isEqualTo("prod");
  }

  @Test
  void unicode_forms_and_cases_of_one_name_have_one_id() {
    for (List<String> same :
        List.of(
            List.of("B\u00fccher", "Bu\u0308cher", "B\u00dcCHER", " b\u00fccher"),
            List.of("Stra\u00dfe.x", "STRASSE.X", "Stra\u1e9ee.x"),
            List.of(
                "\u039f\u0394\u039f\u03a3", "\u03bf\u03b4\u03bf\u03c2", "\u03bf\u03b4\u03bf\u03c3"),
            List.of(
                "\u041f\u043e\u0433\u043e\u0434\u0430",
                "\u041fo\u0433o\u0434a",
                "\u043f\u041e\u0433\u043e\u0434\u0430"),
            List.of("\u2699\uFE0F", "\u2699"),
            List.of("io.github.A/b", "IO.GitHub.a/B", "io.github.a/b "))) {
      assertThat(same.stream().map(ServerId::of).distinct()).as("%s", same).hasSize(1);
    }
  }

  @Test
  void names_that_differ_by_anything_else_have_different_ids() {
    Map<String, String> names = new HashMap<>();
    for (String name :
        List.of(
            "a/b",
            "a.b",
            "a b",
            "a:b",
            "@a/b",
            "a+b",
            "a&b",
            "a(b)",
            "a,b",
            "a#b",
            "a\\b",
            "a~b",
            "c",
            "c++",
            "c#",
            ".c",
            "c.",
            "caf\u00e9",
            "cafe",
            "\u9ad8",
            "\u5fb7",
            "\uD83D\uDE80",
            "\uD83E\uDEE0",
            "..",
            ".",
            "*",
            "x".repeat(63),
            "x".repeat(64),
            "x".repeat(65),
            "tools",
            "tool")) {
      assertThat(names.put(ServerId.of(name), name)).as(name).isNull();
    }
  }

  @Test
  void each_id_is_valid_and_its_own_and_none_is_that_of_a_private_connection() {
    Random random = new Random(7);
    String letters =
        "aB1 _-./:@+*?#%\u00e9\u00df\u043e\u043f\u9ad8\u200d\u202e\u0000\u0130\u0131\uD83D\uDE80\n";
    for (int i = 0; i < 20_000; i++) {
      StringBuilder name = new StringBuilder();
      int length = random.nextInt(80);
      for (int j = 0; j < length; j++) {
        name.append(letters.charAt(random.nextInt(letters.length())));
      }
      String id = ServerId.of(name.toString());
      if (!id.isEmpty()) {
        assertThat(ConnectionId.problem(id)).as(name.toString()).isNull();
        assertThat(ServerId.of(id)).isEqualTo(id);
        assertThat(ConnectionId.isPrivate(id)).isFalse();
        assertThat(ServerId.isHashed(id)).isEqualTo(id.contains("--"));
      }
    }
  }

  @Test
  void no_name_is_a_word_of_the_bus() {
    ServerId.RESERVED.forEach(
        word -> {
          assertThat(ServerId.of(word)).startsWith(word + "--");
          assertThat(ServerId.of(word.toUpperCase(java.util.Locale.ROOT)))
              .isEqualTo(ServerId.of(word));
        });
  }

  // ---- patterns

  private static boolean matches(String written, boolean denial, String name) {
    return ServerId.patterns(written, denial).stream()
        .anyMatch(glob -> Glob.matches(glob, ServerId.of(name)));
  }

  @ParameterizedTest
  @CsvSource({
    "prod, PROD",
    "prod, prod.",
    "prod, (prod)",
    "prod, pr\u043ed",
    "PROD, prod",
    "pro*, prod",
    "pro*, PRO.D/x",
    "*prod, eu.prod",
    "eu-*, EU/x",
    "io.github.evil/*, io.github.Evil/tool",
    "@evil/*, '@evil/x'",
    "io.github.Org/name, IO.GITHUB.ORG/NAME",
    "\u9ad8\u5fb7, \u9ad8\u5fb7",
    "tools, tools",
    "io.github.a-long-organization-with-a-long-name-of-its-own/*, io.github.a-long-organization-with-a-long-name-of-its-own/x"
  })
  void a_denial_meets_every_spelling(String denied, String name) {
    assertThat(matches(denied, true, name)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "prod, prod, true",
    "prod, prod., false",
    "prod, (prod), false",
    "PROD, prod, true",
    "team/*, team/x, true",
    "team/*, team-x, true",
    "team/*, teams/x, false",
    "_*, prod, false",
    ".*, prod, false",
    "'', prod, false",
    "\u9ad8\u5fb7, \u9ad8\u5fb7, true",
    "\u9ad8\u5fb7, \u9ad8, false",
    "io.github.a/b, io.github.a-b, false",
    "*, \u9ad8, true"
  })
  void a_permission_meets_its_names_alone(String allowed, String name, boolean meets) {
    assertThat(matches(allowed, false, name)).isEqualTo(meets);
  }

  @Test
  void a_glob_of_foreign_letters_cannot_be_compared_with_ids() {
    assertThat(ServerId.isOverIds("\u9ad8*")).isFalse();
    assertThat(ServerId.isOverIds("caf\u00e9?")).isFalse();
    assertThat(ServerId.isOverIds("\u9ad8")).isTrue();
    assertThat(ServerId.isOverIds("IO.github.*/x")).isTrue();
    assertThat(ServerId.isOverIds("\uFF50rod*")).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "git.read_*, git.read_*",
    "Git.read, git.read",
    "io.github.Org/name.read, io-github-org-name--18867010076b.read",
    "IO.github.ORG/name.a.b, io-github-org-name--18867010076b.a.b",
    "*.read, *.read",
    "other.io.x, other.io.x"
  })
  void a_pattern_for_items_begins_with_a_name(String written, String pattern) {
    assertThat(ServerId.itemPatterns(List.of("io", "io.github.Org/name", "git")).apply(written))
        .isEqualTo(pattern);
  }

  @ParameterizedTest
  @CsvSource({
    "git.read_*, git.read_*",
    "git.read_*, git--????????????.read_*",
    "Git.read, git.read",
    "io.github.Org/name.read, io-github-org-name--18867010076b.read",
    "io.github.Org/name.a.b, io-github-org-name--18867010076b.a.b",
    "com.acme*.drop, com-acme*--????????????.drop",
    "*.read, *.read",
    "nodot, nodot"
  })
  void a_denial_of_items_holds_for_a_server_whose_name_nobody_knew(String written, String pattern) {
    assertThat(ServerId.itemDenials(written)).contains(pattern);
  }

  @Test
  void the_denials_of_one_glob_are_bounded() {
    assertThat(ServerId.itemDenials("a.".repeat(10_000))).hasSizeLessThan(100);
  }
}
