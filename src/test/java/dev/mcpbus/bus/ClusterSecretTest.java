package dev.mcpbus.bus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class ClusterSecretTest {

  private static final String TEXT = "correct horse battery staple and more";

  private final ClusterSecret secret = ClusterSecret.of(TEXT);

  @Test
  void a_secret_that_is_too_short_is_refused_with_the_remedy_and_without_showing_it() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ClusterSecret.of("s3cr3t-canary"))
        .withMessageContaining("32", "13", "openssl rand -base64 32")
        .withMessageNotContaining("canary");
    assertThat(secret.toString()).isEqualTo("***");
  }

  @Test
  void white_space_around_a_secret_is_ignored() {
    assertThat(ClusterSecret.of("\n" + TEXT + " \n")).isEqualTo(secret);
    assertThat(ClusterSecret.of(TEXT + "x")).isNotEqualTo(secret);
  }

  @Test
  void clusters_of_one_name_and_two_secrets_have_two_names() {
    assertThat(secret.clusterName("mcpbus"))
        .matches("mcpbus-[0-9a-f]{16}")
        .isEqualTo(ClusterSecret.of(TEXT).clusterName("mcpbus"))
        .isNotEqualTo(ClusterSecret.of(TEXT + "x").clusterName("mcpbus"))
        .isNotEqualTo("mcpbus-" + secret.clusterName("other").substring("other-".length()));
  }

  @Test
  void a_proof_is_good_for_its_purpose_and_its_parts_alone() {
    String proof = secret.proof("purpose", "a", "bc");
    assertThat(secret.isProof(proof, "purpose", "a", "bc")).isTrue();
    assertThat(secret.isProof(proof, "purpose", "ab", "c")).isFalse();
    assertThat(secret.isProof(proof, "purpose", "abc")).isFalse();
    assertThat(secret.isProof(proof, "another", "a", "bc")).isFalse();
    assertThat(secret.isProof("", "purpose", "a", "bc")).isFalse();
    assertThat(ClusterSecret.of(TEXT + "x").isProof(proof, "purpose", "a", "bc")).isFalse();
  }

  @Test
  void each_purpose_has_a_key_of_its_own() {
    assertThat(secret.key("one")).hasSize(32).isNotEqualTo(secret.key("two"));
  }
}
