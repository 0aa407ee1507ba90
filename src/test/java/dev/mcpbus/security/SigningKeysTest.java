package dev.mcpbus.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.TestBus;
import dev.mcpbus.testing.TokenIssuer;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.security.KeyPair;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(VertxExtension.class)
class SigningKeysTest {

  private static final KeyPair PAIR = TokenIssuer.pair();

  private final AtomicLong now = new AtomicLong(7);
  private final AtomicInteger fetches = new AtomicInteger();
  private final List<JsonObject> set = new ArrayList<>();
  private SigningKeys ring;

  @BeforeEach
  void make(Vertx vertx) {
    set.add(TokenIssuer.jwk("one", PAIR));
    ring =
        new SigningKeys(
            vertx,
            () -> {
              fetches.incrementAndGet();
              return Future.succeededFuture(List.copyOf(set));
            },
            now::get);
  }

  private boolean has(String kid) {
    return TestBus.await(ring.find(kid)) != null;
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  @Test
  void a_key_is_fetched_once() {
    assertThat(has("one")).isTrue();
    assertThat(has("one")).isTrue();
    assertThat(fetches).hasValue(1);
  }

  @Test
  void an_unknown_key_fetches_the_set_again_but_not_often() {
    assertThat(has("one")).isTrue();
    for (int i = 0; i < 100; i++) {
      assertThat(has("two-" + i)).isFalse();
    }
    assertThat(fetches).hasValue(1);
    set.add(TokenIssuer.jwk("two", PAIR));
    assertThat(has("two")).isFalse();
    pass(Duration.ofSeconds(31));
    assertThat(has("two")).isTrue();
    assertThat(fetches).hasValue(2);
  }

  @Test
  void a_fetch_that_failed_is_repeated_after_a_second_not_after_the_pause_of_unknown_keys(
      Vertx vertx) {
    AtomicInteger looks = new AtomicInteger();
    SigningKeys shaky =
        new SigningKeys(
            vertx,
            () ->
                looks.incrementAndGet() == 1
                    ? Future.failedFuture("HTTP 503")
                    : Future.succeededFuture(List.copyOf(set)),
            now::get);
    assertThat(TestBus.await(shaky.find("one"))).isNull();
    assertThat(TestBus.await(shaky.find("one"))).isNull();
    assertThat(looks).as("not for each token").hasValue(1);
    pass(Duration.ofSeconds(2));
    assertThat(TestBus.await(shaky.find("one"))).isNotNull();
    assertThat(TestBus.await(shaky.find("two"))).isNull();
    assertThat(looks).hasValue(2);
  }

  @Test
  void a_removed_key_stays_valid_until_its_tokens_have_expired() {
    assertThat(has("one")).isTrue();
    set.clear();
    set.add(TokenIssuer.jwk("two", PAIR));
    pass(Duration.ofMinutes(11));
    assertThat(has("two")).isTrue();
    assertThat(has("one")).isTrue();
    pass(Duration.ofMinutes(50));
    assertThat(has("one")).isFalse();
  }

  @Test
  void concurrent_searches_share_one_fetch(Vertx vertx) {
    Promise<List<JsonObject>> answer = Promise.promise();
    AtomicInteger looks = new AtomicInteger();
    SigningKeys slow =
        new SigningKeys(
            vertx,
            () -> {
              looks.incrementAndGet();
              return answer.future();
            },
            now::get);
    Future<?> first = slow.find("one");
    Future<?> second = slow.find("one");
    answer.complete(set);
    assertThat(TestBus.await(first)).isNotNull();
    assertThat(TestBus.await(second)).isNotNull();
    assertThat(looks).hasValue(1);
  }

  @Test
  void secrets_and_keys_for_encryption_sign_nothing() {
    set.add(new JsonObject().put("kty", "oct").put("kid", "shared").put("k", "c2VjcmV0"));
    set.add(TokenIssuer.jwk("enc", PAIR).put("use", "enc"));
    set.add(TokenIssuer.jwk("none", PAIR).put("alg", "none"));
    assertThat(has("one")).isTrue();
    for (String kid : List.of("shared", "enc", "none")) {
      assertThat(has(kid)).as(kid).isFalse();
    }
  }
}
