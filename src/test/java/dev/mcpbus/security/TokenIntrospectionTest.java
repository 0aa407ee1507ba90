package dev.mcpbus.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.security.AuthOptions.Issuer;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TokenIntrospectionTest {

  private static final Instant NOW = Instant.parse("2026-11-30T12:00:00Z");
  private static final Issuer ISSUER = Issuer.of("work", "https://as.example", Set.of("mcpbus"));

  private final AtomicLong seconds = new AtomicLong();
  private final List<String> asked = new ArrayList<>();
  private final List<Promise<JsonObject>> open = new ArrayList<>();
  private @Nullable JsonObject answer = good(3_600);
  private final TokenIntrospection introspection =
      new TokenIntrospection(
          ISSUER,
          Duration.ofSeconds(60),
          token -> {
            asked.add(token);
            if (answer != null) {
              return Future.succeededFuture(answer);
            }
            Promise<JsonObject> promise = Promise.promise();
            open.add(promise);
            return promise.future();
          },
          () -> NOW.plusSeconds(seconds.get()),
          () -> Duration.ofSeconds(seconds.get()).toNanos());

  private JsonObject good(long lives) {
    return new JsonObject()
        .put("active", true)
        .put("sub", "ann")
        .put("aud", "mcpbus")
        .put("exp", NOW.getEpochSecond() + seconds.get() + lives);
  }

  private @Nullable TokenRefusal refusal(String token) {
    return introspection.outcome(token, "10.0.0.1").result().refusal();
  }

  @Test
  void a_good_answer_holds_for_its_time_and_no_longer_than_the_token() {
    assertThat(refusal("a")).isNull();
    seconds.set(59);
    assertThat(refusal("a")).isNull();
    assertThat(asked).hasSize(1);
    seconds.set(60);
    answer = good(10);
    assertThat(refusal("a")).isNull();
    assertThat(asked).hasSize(2);
    seconds.set(60 + 10 + 30); // with the leeway
    answer = new JsonObject().put("active", false);
    assertThat(refusal("a")).isEqualTo(TokenRefusal.INVALID);
    assertThat(asked).hasSize(3);
  }

  @Test
  void a_refusal_holds_for_some_seconds() {
    answer = new JsonObject().put("active", false);
    assertThat(refusal("a")).isEqualTo(TokenRefusal.INVALID);
    answer = good(3_600);
    seconds.set(4);
    assertThat(refusal("a")).isEqualTo(TokenRefusal.INVALID);
    assertThat(asked).hasSize(1);
    seconds.set(5);
    assertThat(refusal("a")).isNull();
  }

  @Test
  void what_is_not_exactly_an_active_access_token_of_this_issuer_is_refused() {
    List<JsonObject> bad =
        List.of(
            new JsonObject(),
            good(10).put("active", "true"),
            good(10).put("active", 1),
            good(10).put("iss", "https://evil.example"),
            good(10).put("iss", 5),
            good(10).put("token_type", "refresh_token"),
            good(10).put("token_use", "refresh_token"),
            good(10).put("typ", "ID"),
            good(-31),
            good(10).put("exp", "soon"),
            good(10).putNull("exp"));
    for (int i = 0; i < bad.size(); i++) {
      answer = bad.get(i);
      assertThat(refusal("bad" + i)).as("%s", answer).isEqualTo(TokenRefusal.INVALID);
    }
    answer = good(10);
    answer.remove("aud");
    assertThat(refusal("no-aud")).isEqualTo(TokenRefusal.INVALID);
    answer = good(10).put("iss", "https://as.example/").put("token_type", "Bearer");
    assertThat(refusal("good")).isNull();
  }

  @Test
  void one_request_for_one_token_at_a_time() {
    answer = null;
    Future<TokenOutcome> one = introspection.outcome("a", "x");
    Future<TokenOutcome> two = introspection.outcome("a", "y");
    assertThat(asked).hasSize(1);
    open.get(0).complete(good(10));
    assertThat(one.result().claims()).isNotNull();
    assertThat(two.result().claims()).isNotNull();
  }

  @Test
  void a_provider_that_fails_admits_nobody_and_is_asked_again() {
    answer = null;
    Future<TokenOutcome> one = introspection.outcome("a", "x");
    open.get(0).fail("HTTP 500");
    assertThat(one.result().refusal()).isEqualTo(TokenRefusal.UNAVAILABLE);
    answer = good(10).put("filler", "x".repeat(20_000));
    assertThat(introspection.outcome("a", "x").result().refusal())
        .as("an answer of any size is not kept")
        .isEqualTo(TokenRefusal.UNAVAILABLE);
    answer = good(10);
    assertThat(refusal("a")).isNull();
  }

  @Test
  void a_flood_of_one_address_leaves_room_to_others_and_known_tokens_stay_known() {
    assertThat(refusal("known")).isNull();
    answer = null;
    int unavailable = 0;
    for (int i = 0; i < 1_000; i++) {
      Future<TokenOutcome> each = introspection.outcome("flood" + i, "10.6.6.6");
      unavailable += each.isComplete() ? 1 : 0;
    }
    assertThat(open).hasSizeBetween(30, TokenIntrospection.MOST_ASKED - 1);
    assertThat(unavailable).isEqualTo(1_000 - open.size());
    assertThat(introspection.outcome("new", "10.0.0.1").isComplete()).as("is asked").isFalse();
    assertThat(refusal("known")).isNull();
    List.copyOf(open).forEach(each -> each.complete(new JsonObject().put("active", false)));
    answer = new JsonObject().put("active", false);
    for (int i = 0; i < 2 * TokenIntrospection.MOST_KNOWN; i++) {
      introspection.outcome("more" + i, "10.6.6.6");
    }
    int before = asked.size();
    assertThat(refusal("known")).isNull();
    assertThat(asked).hasSize(before);
  }

  @Test
  void what_cannot_be_a_token_is_not_asked_about() {
    for (String text : List.of("", "a b", "a\"b", "a\nb", "ä", "x".repeat(4_097), "=", "a=b")) {
      assertThat(refusal(text)).as(text).isEqualTo(TokenRefusal.INVALID);
    }
    assertThat(asked).isEmpty();
  }
}
