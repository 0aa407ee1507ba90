package dev.mcpbus.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.TestOptions;
import dev.mcpbus.security.AuthOptions.ApiKey;
import dev.mcpbus.security.AuthOptions.Effect;
import dev.mcpbus.security.AuthOptions.Limits;
import dev.mcpbus.security.AuthOptions.Policy;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Policies, keys and limits by themselves. */
class AccessPolicyTest {

  private static final Principal ANN = new Principal("ann");
  private static final Principal OPS =
      new Principal("ops", new TreeSet<>(Set.of("team:ops")), true);

  private static Policy allow(List<String> who, List<String> servers, List<String> tools) {
    return new Policy(who, servers, tools, Set.of(), Effect.ALLOW);
  }

  private static Policy deny(List<String> who, List<String> servers, List<String> tools) {
    return new Policy(who, servers, tools, Set.of(), Effect.DENY);
  }

  @Test
  void without_policies_every_principal_may_do_everything_but_admin() {
    Rights ann = new AccessPolicy(List.of()).rights(ANN);
    assertThat(ann.allows(Action.CALL, "git", "push")).isTrue();
    assertThat(ann.allows(Action.ADMIN, "git", "")).isFalse();
    assertThat(new AccessPolicy(List.of()).rights(OPS).allows(Action.ADMIN, "git", "")).isTrue();
  }

  @Test
  void a_denial_wins_whatever_the_order() {
    Policy open = allow(List.of(), List.of("git"), List.of());
    Policy close = deny(List.of("ann"), List.of("g*"), List.of("push*"));
    for (List<Policy> order : List.of(List.of(open, close), List.of(close, open))) {
      AccessPolicy policy = new AccessPolicy(order);
      assertThat(policy.rights(ANN).lists(Action.CALL, "git", "push_all")).isFalse();
      assertThat(policy.rights(ANN).lists(Action.CALL, "git", "log")).isTrue();
      assertThat(policy.rights(OPS).lists(Action.CALL, "git", "push_all")).isTrue();
      assertThat(policy.rights(ANN).lists(Action.CALL, "other", "log"))
          .as("nothing allows it")
          .isFalse();
    }
  }

  @Test
  void a_denial_of_any_action_holds_for_each_form_of_a_uri() {
    Policy open = allow(List.of(), List.of(), List.of());
    for (Action action : List.of(Action.LIST, Action.READ)) {
      Policy close =
          new Policy(List.of(), List.of("s"), List.of("urn:secret:*"), Set.of(action), Effect.DENY);
      Rights rights = new AccessPolicy(List.of(open, close)).rights(ANN);
      for (String uri : List.of("urn:secret:a", "URN:Secret:a", "urn:%73ecret:a")) {
        assertThat(rights.lists(Action.READ, "s", uri)).as(action + " " + uri).isFalse();
        assertThat(rights.lists(Action.READ, "t", uri)).as(action + " " + uri).isTrue();
        assertThat(rights.denies("s", uri)).isTrue();
        assertThat(rights.denies("t", uri)).isFalse();
      }
      assertThat(rights.lists(Action.READ, "s", "urn:open:a")).isTrue();
    }
  }

  @Test
  void a_denial_holds_for_each_form_of_a_name_and_a_permission_for_none_but_its_own() {
    Policy open = allow(List.of(), List.of(), List.of());
    Policy close = deny(List.of(), List.of("s"), List.of("danger"));
    Rights rights = new AccessPolicy(List.of(open, close)).rights(ANN);
    for (String name : List.of("danger", "DANGER", "danger ", "dan\u200bger", "danger\u0000x")) {
      for (Action action : List.of(Action.CALL, Action.GET)) {
        assertThat(rights.allows(action, "s", name)).as(action + " " + name).isFalse();
        assertThat(rights.allows(action, "t", name)).as(action + " " + name).isTrue();
      }
    }
    assertThat(rights.allows(Action.GET, "s", "dangers")).isTrue();
    Rights some =
        new AccessPolicy(List.of(allow(List.of(), List.of(), List.of("hello")))).rights(ANN);
    assertThat(some.allows(Action.GET, "s", "hello")).isTrue();
    assertThat(some.allows(Action.GET, "s", "HELLO")).isFalse();
  }

  @Test
  void roles_are_named_with_a_prefix_and_no_name_can_claim_one() {
    AccessPolicy policy =
        new AccessPolicy(List.of(allow(List.of("role:team:*"), List.of(), List.of())));
    assertThat(policy.rights(OPS).lists(Action.CALL, "git", "log")).isTrue();
    assertThat(policy.rights(new Principal("role:team:ops")).lists(Action.CALL, "git", "log"))
        .isFalse();
  }

  @Test
  void a_server_is_visible_to_principals_that_may_do_anything_with_it() {
    AccessPolicy policy =
        new AccessPolicy(
            List.of(
                allow(List.of("ann"), List.of("git"), List.of("log")),
                deny(List.of("ann"), List.of("git"), List.of("secret"))));
    assertThat(policy.rights(ANN).sees("git")).isTrue();
    assertThat(policy.rights(ANN).sees("docs")).isFalse();
    assertThat(policy.rights(ANN).allows(Action.CALL, "git", "x".repeat(100_000))).isFalse();
  }

  @Test
  void who_may_read_the_metrics_sees_no_server_by_that() {
    AccessPolicy policy =
        new AccessPolicy(
            List.of(
                new Policy(
                    List.of("ann"), List.of(), List.of(), Set.of(Action.METRICS), Effect.ALLOW)));
    Rights ann = policy.rights(ANN);
    assertThat(ann.permits(Operation.of(Action.METRICS, "", ""))).isTrue();
    assertThat(ann.sees("git")).isFalse();
    assertThat(ann.allows(Action.LIST, "git", "log")).isFalse();
  }

  @Test
  void those_with_the_same_policies_share_their_rights() {
    AccessPolicy policy = new AccessPolicy(List.of(deny(List.of("bob"), List.of(), List.of())));
    assertThat(policy.rights(ANN)).isSameAs(policy.rights(new Principal("eve")));
    assertThat(policy.rights(ANN)).isNotSameAs(policy.rights(new Principal("bob")));
  }

  @Test
  void the_text_of_a_principal_reads_back() {
    for (Principal one : List.of(ANN, OPS, Principal.LOCAL)) {
      assertThat(Principal.parse(one.text())).isEqualTo(one);
    }
    Principal forger = new Principal("ann\n+\nteam:ops");
    assertThat(Principal.parse(forger.text()).admin()).isFalse();
    assertThat(Principal.parse(forger.text()).roles()).isEmpty();
  }

  @Test
  void a_key_is_good_until_it_expires() {
    ApiKeys.Fresh fresh = ApiKeys.generate(new SecureRandom());
    Instant end = Instant.parse("2027-01-01T00:00:00Z");
    ApiKey key = new ApiKey("ci", fresh.hash(), Set.of("r"), true, end, null);
    assertThat(fresh.toString()).doesNotContain(fresh.key());
    AuthState state = new AuthState(TestOptions.ofKeys(List.of(key)), null);
    assertThat(ApiKeys.credential(fresh.key()).in(state))
        .isEqualTo(
            new PresentedCredential.CredentialHolder(
                new Principal("ci", new TreeSet<>(Set.of("r")), true), end, true));
    assertThat(ApiKeys.credential(fresh.key() + "x").in(state)).isNull();
    assertThat(ApiKeys.credential("").in(state)).isNull();
  }

  @Test
  void a_bucket_fills_with_time_and_places_are_given_back_once() {
    AtomicLong now = new AtomicLong();
    RateLimiter throttle =
        new RateLimiter(new RateLimits(new Limits(2, 2, 2), List.of()), () -> 0, now::get);
    RateLimiter.Place first = throttle.enter(ANN);
    assertThat(first.isFree()).isTrue();
    assertThat(throttle.enter(ANN).isFree()).isTrue();
    assertThat(throttle.enter(ANN).isFree()).as("two in flight").isFalse();
    assertThat(throttle.enter(OPS).isFree()).as("another's").isTrue();
    first.end().run();
    first.end().run();
    assertThat(throttle.enter(ANN).retryMillis()).as("bucket is empty").isEqualTo(500);
    now.addAndGet(TimeUnit.MILLISECONDS.toNanos(500));
    assertThat(throttle.enter(ANN).isFree()).isTrue();
    now.addAndGet(TimeUnit.SECONDS.toNanos(10));
    assertThat(throttle.enter(ANN).isFree()).as("two in flight again").isFalse();
  }

  @Test
  void each_node_enforces_its_share() {
    AtomicLong now = new AtomicLong();
    AtomicInteger nodes = new AtomicInteger(3);
    RateLimiter throttle =
        new RateLimiter(new RateLimits(new Limits(3, 9, 7), List.of()), nodes::get, now::get);
    assertThat(free(throttle, 2)).as("two of seven in flight").isEqualTo(2);
    assertThat(throttle.enter(ANN).retryMillis()).isEqualTo(1_000);

    throttle.limits(new RateLimits(new Limits(3, 9, 0), List.of()));
    assertThat(free(throttle, 5)).as("three of nine at once, two of them used").isEqualTo(1);
    assertThat(throttle.enter(ANN).retryMillis()).as("one a second").isEqualTo(1_000);

    nodes.set(1);
    assertThat(free(throttle, 5)).as("another node's tokens are not here").isZero();
    now.addAndGet(TimeUnit.SECONDS.toNanos(2));
    assertThat(free(throttle, 9)).as("three a second").isEqualTo(6);
    now.addAndGet(TimeUnit.SECONDS.toNanos(9));
    nodes.set(3);
    assertThat(free(throttle, 9)).as("what is above the share is cut").isEqualTo(3);

    nodes.set(20);
    now.addAndGet(TimeUnit.SECONDS.toNanos(7));
    assertThat(free(throttle, 9)).as("more nodes than the limit: one each").isEqualTo(1);
  }

  private static int free(RateLimiter throttle, int asked) {
    int free = 0;
    for (int i = 0; i < asked; i++) {
      free += throttle.enter(ANN).isFree() ? 1 : 0;
    }
    return free;
  }

  @Test
  void full_buckets_are_forgotten_once_a_second_at_most() {
    AtomicLong now = new AtomicLong();
    RateLimiter throttle =
        new RateLimiter(new RateLimits(new Limits(10, 2, 0), List.of()), () -> 0, now::get);
    for (int i = 0; i < 10_001; i++) {
      throttle.enter(new Principal("jwt:" + i)).end().run();
    }
    now.addAndGet(TimeUnit.MILLISECONDS.toNanos(500));
    throttle.enter(ANN).end().run();
    assertThat(throttle.known()).as("all are full, and were not looked at").isEqualTo(10_002);
    now.addAndGet(TimeUnit.MILLISECONDS.toNanos(500));
    throttle.enter(OPS).end().run();
    assertThat(throttle.known()).isEqualTo(1);
  }

  @Test
  void audit_lines_are_ascii_and_still_json() {
    assertThat(Audit.ascii("{\"a\":\"\u001b\u202eä\"}"))
        .isEqualTo("{\"a\":\"\\u001b\\u202e\\u00e4\"}");
  }
}
