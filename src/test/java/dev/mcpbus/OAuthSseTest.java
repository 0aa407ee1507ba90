package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.hosting.BuiltInTransports;
import dev.mcpbus.hosting.credentials.OAuthAuthenticators;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.oauth.HostResolver;
import dev.mcpbus.security.oauth.OAuthClient;
import dev.mcpbus.security.oauth.TokenStore;
import dev.mcpbus.testing.ChannelProbe;
import dev.mcpbus.testing.OAuthWorld;
import dev.mcpbus.testing.OAuthWorld.Answer;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.OAuthOptions;
import dev.mcpbus.transport.SseOptions;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Faults 35 and 36 over the old HTTP+SSE, where the stream and every post carry a token. */
class OAuthSseTest {

  private Vertx vertx;
  private OAuthWorld world;
  private final List<Runnable> pages = new CopyOnWriteArrayList<>();
  private volatile boolean personIsPresent = true;
  private volatile Instant now = Instant.now();

  @BeforeEach
  void start() {
    vertx = Vertx.vertx();
    world = new OAuthWorld(vertx);
  }

  @AfterEach
  void stop() {
    world.close();
    vertx.close().await();
  }

  private HttpOptions options() {
    return RecordCopy.with(HttpOptions.of(world.sse()), "oauth", OAuthOptions.DEFAULT);
  }

  private ChannelProbe open(HttpOptions options) throws Exception {
    OAuthAuthenticators authentication =
        OAuthAuthenticators.of(
            new OAuthClient.Environment(
                vertx,
                TokenStore.inMemory(),
                (server, page, within) -> {
                  pages.add(() -> world.browse(page));
                  if (personIsPresent) {
                    world.browse(page);
                  }
                },
                HostResolver.system(vertx),
                () -> now,
                Duration.ofSeconds(10),
                Duration.ofSeconds(30)));
    return ChannelProbe.open(
        vertx, BuiltInTransports.create(vertx, new SseOptions(options), authentication));
  }

  private List<String> tokens(String path) {
    return world.seen(path).stream()
        .map(seen -> String.valueOf(seen.headers().get("authorization")))
        .toList();
  }

  @Test
  void case_35_the_stream_logs_in_and_posts_carry_the_token() throws Exception {
    ChannelProbe probe = open(options());
    probe.call(0, "initialize");
    assertThat(probe.call(1, "tools/list").payload()).hasToString("{\"n\":1}");
    assertThat(tokens("/sse")).containsExactly("null", "Bearer at-1");
    assertThat(tokens("/messages")).containsExactly("Bearer at-1", "Bearer at-1");
    assertThat(pages).hasSize(1);
    assertThat(probe.foreignCallbacks()).isZero();
    probe.close();
  }

  @Test
  void case_35_a_login_may_take_longer_than_a_connection() throws Exception {
    personIsPresent = false;
    CompletableFuture<ChannelProbe> opened = new CompletableFuture<>();
    Thread opening =
        new Thread(
            () -> {
              try {
                opened.complete(
                    open(RecordCopy.with(options(), "connectTimeout", Duration.ofMillis(100))));
              } catch (Exception e) {
                opened.completeExceptionally(e);
              }
            });
    opening.start();
    await().until(() -> pages.size() == 1);
    // Three times what the server has for its first event.
    await().during(Duration.ofMillis(600)).until(() -> !opened.isDone());
    pages.get(0).run();
    ChannelProbe probe = opened.get(60, TimeUnit.SECONDS);
    probe.call(1, "tools/list");
    probe.close();
  }

  @Test
  void case_35_posts_with_a_revoked_token_share_one_refresh_and_are_sent_again() throws Exception {
    ChannelProbe probe = open(options());
    probe.call(0, "initialize");
    probe.notify("notifications/initialized");
    await().until(() -> world.seen("/messages").size() == 2);
    now = now.plus(Duration.ofMinutes(5));
    world.valid.clear();
    world.holdTokens = true;
    for (long id : LongStream.rangeClosed(1, 20).toArray()) {
      probe.request(id, "tools/list");
    }
    await()
        .until(
            () ->
                world.seen("/messages").size() == 22 && world.grants("refresh_token").size() == 1);
    world.release();
    for (long id : LongStream.rangeClosed(1, 20).toArray()) {
      probe.reply(id);
    }
    assertThat(world.grants("refresh_token")).hasSize(1);
    assertThat(world.seen("/messages")).hasSize(42);
    assertThat(world.seen("/sse")).as("the stream was not touched").hasSize(2);
    assertThat(pages).hasSize(1);
    probe.close();
  }

  @Test
  void case_35_a_fresh_token_that_is_refused_ends_in_auth_required_without_a_loop() {
    world.tokenAnswer =
        form ->
            new Answer(
                200, new JsonObject().put("access_token", "useless").put("token_type", "Bearer"));
    try {
      open(options());
      throw new AssertionError("it was opened");
    } catch (TransportException e) {
      assertThat(e.reason()).as(e.getMessage()).isEqualTo(Reason.AUTH_REQUIRED);
      assertThat(e.reached()).isEqualTo(Reached.NO);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    assertThat(world.seen("/sse")).hasSize(2);
    assertThat(world.seen("/messages")).isEmpty();
  }

  @Test
  void case_36_a_post_that_lacks_a_scope_steps_up_and_is_sent_again() throws Exception {
    ChannelProbe probe = open(options());
    probe.call(0, "initialize");
    probe.notify("notifications/initialized");
    world.needed = Set.of("write");
    assertThat(probe.call(1, "tools/call").payload()).hasToString("{\"n\":1}");
    assertThat(pages).hasSize(2);
    probe.close();
  }

  @Test
  void a_configured_server_gets_its_token_and_a_cut_stream_keeps_it() {
    JsonObject entry =
        new JsonObject()
            .put("url", world.sse().toString())
            .put(
                "oauth",
                new JsonObject()
                    .put("grant", "client_credentials")
                    .put("clientId", "m")
                    .put("clientSecret", "canary-secret")
                    .put("issuer", world.issuer()));
    try (TestBus bus = TestBus.start(TestBus.server("guarded", entry))) {
      bus.awaitState("guarded", "READY");
      world.cut();
      await().until(() -> bus.status("guarded").getLong("epoch") == 2);
      bus.awaitState("guarded", "READY");
      assertThat(world.seen("/token")).hasSize(1);
    }
  }
}
