package dev.mcpbus.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** "me" is this node, "you" one that lives, "late" one that does not. */
class DecisionTest {

  private static Decision decide(
      @Nullable Claim claim, @Nullable Long held, @Nullable String target) {
    return Decision.of(claim, held, "me", target, Set.of("me", "you"));
  }

  private static Claim of(@Nullable String node, long epoch) {
    return new Claim(node, epoch);
  }

  @Test
  void what_nobody_who_lives_owns_is_claimed_by_its_target_alone() {
    assertThat(decide(null, null, "me")).isEqualTo(Decision.CLAIM);
    assertThat(decide(of(null, 3), null, "me")).isEqualTo(Decision.CLAIM);
    assertThat(decide(of("late", 3), null, "me")).isEqualTo(Decision.CLAIM);
    assertThat(decide(null, null, "you")).isEqualTo(Decision.IGNORE);
    assertThat(decide(of("late", 3), null, "you")).isEqualTo(Decision.IGNORE);
    assertThat(decide(null, null, null)).isEqualTo(Decision.IGNORE);
  }

  @Test
  void an_owner_that_lives_is_waited_for() {
    assertThat(decide(of("you", 3), null, "me")).isEqualTo(Decision.WAIT);
  }

  @Test
  void what_we_serve_and_should_is_kept() {
    assertThat(decide(of("me", 3), 3L, "me")).isEqualTo(Decision.KEEP);
  }

  @Test
  void what_we_serve_and_another_should_is_handed_over() {
    assertThat(decide(of("me", 3), 3L, "you")).isEqualTo(Decision.HAND_OVER);
    assertThat(decide(of("me", 3), 3L, null)).isEqualTo(Decision.HAND_OVER);
  }

  @Test
  void what_we_serve_without_a_claim_of_that_epoch_is_lost_whoever_should() {
    for (String target : new String[] {"me", "you"}) {
      assertThat(decide(of("you", 4), 3L, target)).isEqualTo(Decision.LOSE);
      assertThat(decide(of("me", 4), 3L, target)).isEqualTo(Decision.LOSE);
      assertThat(decide(of(null, 3), 3L, target)).isEqualTo(Decision.LOSE);
      assertThat(decide(null, 3L, target)).isEqualTo(Decision.LOSE);
    }
  }

  @Test
  void a_claim_of_ours_that_we_do_not_serve_is_renewed_or_released() {
    assertThat(decide(of("me", 3), null, "me")).isEqualTo(Decision.CLAIM);
    assertThat(decide(of("me", 3), null, "you")).isEqualTo(Decision.RELEASE);
  }

  @Test
  void a_claim_survives_its_text() {
    for (Claim claim : new Claim[] {of("me", 7), of(null, 8)}) {
      assertThat(Claim.decode(claim.encode())).isEqualTo(claim);
    }
  }
}
