package dev.mcpbus.security.oauth;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TokenChallengeTest {

  @Test
  void parameters_are_read_quoted_or_plain_in_any_order() {
    TokenChallenge challenge =
        TokenChallenge.parse(
            "Bearer  error=insufficient_scope , scope=\"a b\",\trealm=\"x, y=\\\"z\\\"\","
                + " resource_metadata=\"https://h/x\"");
    assertThat(challenge.error()).isEqualTo("insufficient_scope");
    assertThat(challenge.scope()).containsExactly("a", "b");
    assertThat(challenge.resourceMetadata()).isEqualTo("https://h/x");
  }

  @Test
  void only_the_bearer_challenge_counts_among_several() {
    TokenChallenge challenge =
        TokenChallenge.parse(
            "Basic realm=\"r\", scope=\"no\", Negotiate dG9rZW4=, bearer scope=\"yes\", Digest"
                + " scope=\"no\", error=\"no\"");
    assertThat(challenge.scope()).containsExactly("yes");
    assertThat(challenge.error()).isNull();
  }

  @Test
  void several_bearer_challenges_are_one() {
    TokenChallenge challenge =
        TokenChallenge.parse(
            "Bearer realm=\"proxy\", error=\"invalid_token\", Bearer error=\"other\","
                + " resource_metadata=\"https://h/x\", scope=\"a\"");
    assertThat(challenge.error()).isEqualTo("invalid_token");
    assertThat(challenge.resourceMetadata()).isEqualTo("https://h/x");
    assertThat(challenge.scope()).containsExactly("a");
  }

  @Test
  void bearer_and_dpop_together_are_one_challenge() {
    TokenChallenge both =
        TokenChallenge.parse(
            "Bearer scope=\"a\", resource_metadata=\"https://h/x\", DPoP algs=\"ES256\","
                + " error=\"use_dpop_nonce\"");
    assertThat(both.bearer()).isTrue();
    assertThat(both.dpop()).isTrue();
    assertThat(both.scope()).containsExactly("a");
    assertThat(both.resourceMetadata()).isEqualTo("https://h/x");
    assertThat(both.error()).isEqualTo("use_dpop_nonce");
    TokenChallenge bound = TokenChallenge.parse("dpop resource_metadata=\"https://h/y\"");
    assertThat(bound.bearer()).isFalse();
    assertThat(bound.dpop()).isTrue();
    assertThat(bound.resourceMetadata()).isEqualTo("https://h/y");
  }

  @Test
  void garbage_is_no_challenge() {
    for (String garbage :
        new String[] {
          "", ",,,", "=", "Bearer =", "Bearer scope=\"open", "\"", "Bearer scope=\"\""
        }) {
      assertThat(TokenChallenge.parse(garbage).scope()).as(garbage).isNull();
    }
    assertThat(TokenChallenge.parse(null)).isEqualTo(TokenChallenge.NONE);
    assertThat(TokenChallenge.parse("Bearer scope=\"" + "a ".repeat(10_000) + "\""))
        .isEqualTo(TokenChallenge.NONE);
    assertThat(TokenChallenge.scopes("a \"b\" c\\d \u00e9 e")).containsExactly("a", "e");
  }
}
