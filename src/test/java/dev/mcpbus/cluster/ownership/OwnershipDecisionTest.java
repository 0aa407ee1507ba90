package dev.mcpbus.cluster.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** "me" is this node, "you" is a living node, "late" is a lost one. */
class OwnershipDecisionTest {

  private static OwnershipDecision decide(
      @Nullable OwnershipClaim claim, @Nullable Long held, @Nullable String target) {
    return OwnershipDecision.of(claim, held, "me", target, Set.of("me", "you"));
  }

  private static OwnershipClaim of(@Nullable String node, long epoch) {
    return new OwnershipClaim(node, epoch);
  }

  @Test
  void only_the_target_claims_what_no_living_node_owns() {
    assertThat(decide(null, null, "me")).isEqualTo(OwnershipDecision.CLAIM);
    assertThat(decide(of(null, 3), null, "me")).isEqualTo(OwnershipDecision.CLAIM);
    assertThat(decide(of("late", 3), null, "me")).isEqualTo(OwnershipDecision.CLAIM);
    assertThat(decide(null, null, "you")).isEqualTo(OwnershipDecision.IGNORE);
    assertThat(decide(of("late", 3), null, "you")).isEqualTo(OwnershipDecision.IGNORE);
    assertThat(decide(null, null, null)).isEqualTo(OwnershipDecision.IGNORE);
  }

  @Test
  void an_owner_that_lives_is_waited_for() {
    assertThat(decide(of("you", 3), null, "me")).isEqualTo(OwnershipDecision.WAIT);
  }

  @Test
  void what_we_serve_and_should_is_kept() {
    assertThat(decide(of("me", 3), 3L, "me")).isEqualTo(OwnershipDecision.KEEP);
  }

  @Test
  void what_we_serve_and_another_should_is_handed_over() {
    assertThat(decide(of("me", 3), 3L, "you")).isEqualTo(OwnershipDecision.HAND_OVER);
    assertThat(decide(of("me", 3), 3L, null)).isEqualTo(OwnershipDecision.HAND_OVER);
  }

  @Test
  void a_connection_without_a_claim_of_its_epoch_is_lost_whatever_the_target() {
    for (String target : new String[] {"me", "you"}) {
      assertThat(decide(of("you", 4), 3L, target)).isEqualTo(OwnershipDecision.LOSE);
      assertThat(decide(of("me", 4), 3L, target)).isEqualTo(OwnershipDecision.LOSE);
      assertThat(decide(of(null, 3), 3L, target)).isEqualTo(OwnershipDecision.LOSE);
      assertThat(decide(null, 3L, target)).isEqualTo(OwnershipDecision.LOSE);
    }
  }

  @Test
  void a_claim_of_ours_that_we_do_not_serve_is_renewed_or_released() {
    assertThat(decide(of("me", 3), null, "me")).isEqualTo(OwnershipDecision.CLAIM);
    assertThat(decide(of("me", 3), null, "you")).isEqualTo(OwnershipDecision.RELEASE);
  }

  @Test
  void a_claim_survives_its_text() {
    for (OwnershipClaim claim : new OwnershipClaim[] {of("me", 7), of(null, 8)}) {
      assertThat(OwnershipClaim.decode(claim.encode())).isEqualTo(claim);
    }
  }
}
