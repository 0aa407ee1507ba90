package dev.mcpbus.security.oauth;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BearerChallengeTest {

  @Test
  void parameters_are_read_quoted_or_plain_in_any_order() {
    BearerChallenge challenge =
        BearerChallenge.parse(
            "Bearer  error=insufficient_scope , scope=\"a b\",\trealm=\"x, y=\\\"z\\\"\","
                + " resource_metadata=\"https://h/x\"");
    assertThat(challenge.error()).isEqualTo("insufficient_scope");
    assertThat(challenge.scope()).containsExactly("a", "b");
    assertThat(challenge.resourceMetadata()).isEqualTo("https://h/x");
  }

  @Test
  void only_the_bearer_challenge_counts_among_several() {
    BearerChallenge challenge =
        BearerChallenge.parse(
            "Basic realm=\"r\", scope=\"no\", Negotiate dG9rZW4=, bearer scope=\"yes\", Digest"
                + " scope=\"no\", error=\"no\"");
    assertThat(challenge.scope()).containsExactly("yes");
    assertThat(challenge.error()).isNull();
  }

  @Test
  void garbage_is_no_challenge() {
    for (String garbage :
        new String[] {
          "", ",,,", "=", "Bearer =", "Bearer scope=\"open", "\"", "Bearer scope=\"\""
        }) {
      assertThat(BearerChallenge.parse(garbage).scope()).as(garbage).isNull();
    }
    assertThat(BearerChallenge.parse(null)).isEqualTo(BearerChallenge.NONE);
    assertThat(BearerChallenge.parse("Bearer scope=\"" + "a ".repeat(10_000) + "\""))
        .isEqualTo(BearerChallenge.NONE);
    assertThat(BearerChallenge.scopes("a \"b\" c\\d \u00e9 e")).containsExactly("a", "e");
  }
}
