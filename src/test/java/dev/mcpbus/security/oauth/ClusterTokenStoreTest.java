package dev.mcpbus.security.oauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.testing.OAuthWorld.Answer;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.AsyncMap;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Nodes here are stores of their own over one map, as they are on a cluster. */
class ClusterTokenStoreTest extends OAuthFixture {

  private static final String KEY = Base64.getEncoder().encodeToString(new byte[32]);
  private static final String OTHER =
      Base64.getEncoder()
          .encodeToString("another key of 32 bytes, exactly".getBytes(StandardCharsets.UTF_8));

  private KeptKey key(String text) {
    return KeptKey.of(vertx, Map.of(TokenStoreProvider.KEY_VARIABLE, text)).result();
  }

  private TokenStore node() {
    return ClusterTokenStore.of(vertx, key(KEY));
  }

  private OAuthClient clientOfAnotherNode() {
    store = node();
    return client();
  }

  @Test
  void what_is_of_use_for_a_time_is_gone_after_it() throws Exception {
    get(node().save("brief", json("a", 1), Duration.ofMillis(1)));
    get(node().save("long", json("a", 2), Duration.ofHours(1)));
    await().until(() -> get(node().load("brief")) == null);
    assertThat(get(node().load("long"))).isEqualTo(json("a", 2));
  }

  @Test
  void two_nodes_that_renew_at_once_use_the_refresh_token_once() throws Exception {
    OAuthClient first = clientOfAnotherNode();
    assertThat(challenged(first)).isTrue();
    OAuthClient second = clientOfAnotherNode();
    assertThat(get(token(second))).isEqualTo("at-1");
    now = now.plusSeconds(3580);
    world.holdTokens = true;
    Future<String> one = token(first);
    Future<String> two = token(second);
    await().until(() -> !world.grants("refresh_token").isEmpty());
    world.release();
    assertThat(get(one)).isEqualTo("at-2");
    assertThat(get(two)).isEqualTo("at-2");
    assertThat(world.grants("refresh_token")).hasSize(1);
    assertThat(prompts).hasSize(1);
  }

  @Test
  void two_nodes_whose_registration_is_forgotten_register_and_log_in_once() throws Exception {
    OAuthClient first = clientOfAnotherNode();
    assertThat(challenged(first)).isTrue();
    OAuthClient second = clientOfAnotherNode();
    assertThat(get(token(second))).isEqualTo("at-1");
    world.tokenAnswer =
        form ->
            world.seen("/register").size() == 1
                ? new Answer(401, json("error", "invalid_client"))
                : world.issue(form);
    now = now.plusSeconds(60);
    personIsPresent = false;
    Future<Boolean> one = first.challenged(401, "Bearer", Sensitive.of("Bearer at-1"));
    Future<Boolean> two = second.challenged(401, "Bearer", Sensitive.of("Bearer at-1"));
    await().until(() -> prompts.size() == 2);
    world.browse(prompts.get(1));
    assertThat(get(one)).isTrue();
    assertThat(get(two)).isTrue();
    assertThat(get(token(first))).isEqualTo("at-2");
    assertThat(get(token(second))).isEqualTo("at-2");
    assertThat(world.seen("/register")).hasSize(2);
    assertThat(prompts).hasSize(2);
  }

  @Test
  void what_a_node_saved_another_one_reads_and_the_cluster_cannot() throws Exception {
    get(node().save("a", new JsonObject().put("access", "canary-token")));
    assertThat(get(node().load("a"))).isEqualTo(new JsonObject().put("access", "canary-token"));
    assertThat(get(node().load("b"))).isNull();
    AsyncMap<String, Buffer> map = get(vertx.sharedData().getAsyncMap("mcpbus.tokens"));
    Buffer sealed = get(map.get("a"));
    assertThat(sealed.toString(StandardCharsets.UTF_8)).doesNotContain("canary");
    get(map.put("b", sealed));
    assertThat(cause(node().load("b"))).hasMessageContaining("MCPBUS_TOKEN_KEY");
    assertThat(cause(ClusterTokenStore.of(vertx, key(OTHER)).load("a")))
        .hasMessageContaining("MCPBUS_TOKEN_KEY");
  }

  @Test
  void a_node_that_fails_during_a_renewal_blocks_the_others_only_for_a_bounded_time()
      throws Exception {
    TokenStore dead = new ClusterTokenStore(vertx, key(KEY), 300);
    AtomicInteger runs = new AtomicInteger();
    dead.alone("a", () -> Promise.<Void>promise().future());
    await()
        .until(
            () ->
                get(get(vertx.sharedData().getAsyncMap("mcpbus.token-flights")).get("a")) != null);
    get(node().alone("a", () -> Future.succeededFuture(runs.incrementAndGet())));
    get(node().alone("a", () -> Future.succeededFuture(runs.incrementAndGet())));
    assertThat(runs).hasValue(2);
  }

  private static Throwable cause(Future<?> failed) throws Exception {
    get(failed.otherwiseEmpty());
    return failed.cause();
  }
}
