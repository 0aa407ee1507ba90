package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.hosting.BuiltInTransports;
import dev.mcpbus.hosting.credentials.OAuthAuthenticators;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.OAuthGrant;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.oauth.OAuthClient;
import dev.mcpbus.security.oauth.TokenStore;
import dev.mcpbus.testing.ChannelProbe;
import dev.mcpbus.testing.DpopProof;
import dev.mcpbus.testing.OAuthWorld;
import dev.mcpbus.testing.OAuthWorld.Answer;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.OAuthOptions;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults 35 and 36: calls over HTTP to a server that wants tokens. */
class OAuthTransportTest {

  @TempDir Path folder;
  private Vertx vertx;
  private OAuthWorld world;
  private final List<URI> prompts = new CopyOnWriteArrayList<>();

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

  private ChannelProbe open(HttpOptions options) throws Exception {
    OAuthAuthenticators authentication =
        OAuthAuthenticators.of(
            OAuthClient.Environment.of(
                vertx,
                TokenStore.inMemory(),
                (server, page, within) -> {
                  prompts.add(page);
                  world.browse(page);
                }));
    return ChannelProbe.open(vertx, BuiltInTransports.create(vertx, options, authentication));
  }

  private HttpOptions options() {
    return RecordCopy.with(HttpOptions.of(world.url()), "listen", false);
  }

  private ChannelProbe person() throws Exception {
    return open(RecordCopy.with(options(), "oauth", OAuthOptions.DEFAULT));
  }

  private HttpOptions machine() {
    OAuthOptions d = OAuthOptions.DEFAULT;
    return RecordCopy.with(
        options(),
        "oauth",
        new OAuthOptions(
            OAuthGrant.CLIENT_CREDENTIALS,
            "m",
            Sensitive.of("s3cret"),
            null,
            List.of(),
            null,
            null,
            d.redirectUri(),
            null,
            null,
            null,
            null,
            d.dpop(),
            null,
            null));
  }

  private static void expect(TransportException failure, Reason reason) {
    assertThat(failure.reason()).as(failure.getMessage()).isEqualTo(reason);
    assertThat(failure.reached()).isEqualTo(Reached.NO);
  }

  @Test
  void fault_35_a_first_call_logs_in_and_is_sent_again() throws Exception {
    ChannelProbe probe = person();
    assertThat(probe.call(1, "tools/list").payload()).hasToString("{\"n\":1}");
    assertThat(probe.call(2, "tools/list").payload()).hasToString("{\"n\":2}");
    assertThat(world.seen("/mcp")).hasSize(3);
    assertThat(prompts).hasSize(1);
    assertThat(probe.foreignCallbacks()).isZero();
    probe.close();
  }

  /** FastAPI and API gateways say 403 to a request without a token, or with an old one. */
  @ParameterizedTest
  @ValueSource(strings = {"", "Bearer error=\"invalid_token\""})
  void a_403_without_a_token_or_for_an_old_one_is_a_401(String challenge) throws Exception {
    world.refusal = 403;
    world.challenge = challenge.isEmpty() ? null : challenge;
    ChannelProbe probe = person();
    assertThat(probe.call(1, "tools/list").payload()).hasToString("{\"n\":1}");
    assertThat(prompts).hasSize(1);
    world.valid.clear();
    if (challenge.isEmpty()) {
      expect(probe.fail(2, "tools/list"), Reason.FORBIDDEN);
    } else {
      assertThat(probe.call(2, "tools/list").payload()).hasToString("{\"n\":2}");
      assertThat(world.grants("refresh_token")).hasSize(1);
    }
    assertThat(prompts).hasSize(1);
    probe.close();
  }

  @Test
  void fault_35_many_calls_with_a_revoked_token_cost_one_renewal_and_one_retry_each()
      throws Exception {
    ChannelProbe probe = open(machine());
    world.tokenAnswer =
        form -> {
          Answer answer = world.issue(form);
          answer.body().remove("refresh_token");
          return answer;
        };
    world.holdTokens = true;
    for (long id : LongStream.rangeClosed(1, 20).toArray()) {
      probe.request(id, "tools/list");
    }
    await().until(() -> world.seen("/mcp").size() == 20 && !world.seen("/token").isEmpty());
    world.release();
    for (long id : LongStream.rangeClosed(1, 20).toArray()) {
      probe.reply(id);
    }
    assertThat(world.seen("/token")).hasSize(1);
    assertThat(world.seen("/mcp")).hasSize(40);
    assertThat(probe.foreignCallbacks()).isZero();
    probe.close();
  }

  @Test
  void fault_35_a_fresh_token_that_is_refused_ends_in_auth_required_without_a_loop()
      throws Exception {
    world.tokenAnswer =
        form ->
            new Answer(
                200, new JsonObject().put("access_token", "useless").put("token_type", "Bearer"));
    ChannelProbe probe = open(machine());
    expect(probe.fail(1, "tools/list"), Reason.AUTH_REQUIRED);
    assertThat(world.seen("/mcp")).hasSize(2);
    expect(probe.fail(2, "tools/list"), Reason.AUTH_REQUIRED);
    assertThat(world.seen("/token")).hasSize(2);
    assertThat(world.seen("/mcp")).hasSize(3);
    probe.close();
  }

  @Test
  void a_fresh_token_that_is_refused_is_refreshed_once_and_the_call_sent_once_more()
      throws Exception {
    ChannelProbe probe = person();
    world.tokenAnswer =
        form -> {
          Answer answer = world.issue(form);
          if (world.grants("refresh_token").isEmpty()) {
            world.valid.clear();
          }
          return answer;
        };
    assertThat(probe.call(1, "tools/list").payload()).hasToString("{\"n\":1}");
    assertThat(world.seen("/mcp")).as("no token, a refused one, a good one").hasSize(3);
    assertThat(world.grants("refresh_token")).hasSize(1);
    assertThat(prompts).hasSize(1);
    probe.close();
  }

  @Test
  void fresh_tokens_that_are_always_refused_end_in_auth_required_without_a_loop_or_a_login()
      throws Exception {
    ChannelProbe probe = person();
    world.tokenAnswer =
        form -> {
          Answer answer = world.issue(form);
          world.valid.clear();
          return answer;
        };
    for (int id = 1; id <= 5; id++) {
      expect(probe.fail(id, "tools/list"), Reason.AUTH_REQUIRED);
    }
    assertThat(world.grants("refresh_token")).hasSize(1);
    assertThat(world.seen("/mcp")).hasSize(3 + 4);
    assertThat(prompts).hasSize(1);
    probe.close();
  }

  /** The server takes no token that was issued before the latest refresh, many times a minute. */
  @Test
  void calls_whose_fresh_token_is_revoked_again_and_again_all_succeed() throws Exception {
    ChannelProbe probe = person();
    probe.call(0, "tools/list");
    long id = 0;
    for (int round = 1; round <= 4; round++) {
      world.valid.clear();
      world.tokenAnswer =
          form -> {
            world.valid.clear();
            return world.issue(form);
          };
      for (int call = 0; call < 36; call++) {
        probe.request(++id, "tools/list");
      }
      for (long done = id - 35; done <= id; done++) {
        probe.reply(done);
      }
      assertThat(world.grants("refresh_token")).as("one for all calls").hasSize(round);
    }
    assertThat(prompts).hasSize(1);
    assertThat(probe.foreignCallbacks()).isZero();
    probe.close();
  }

  @Test
  void fault_35_refused_credentials_are_auth_required_and_show_no_secret() throws Exception {
    world.tokenAnswer = form -> new Answer(401, new JsonObject().put("error", "invalid_client"));
    ChannelProbe probe = open(machine());
    TransportException failure = probe.fail(1, "tools/list");
    expect(failure, Reason.AUTH_REQUIRED);
    assertThat(failure).hasMessageContaining("invalid_client").hasMessageNotContaining("s3cret");
    assertThat(probe.channel().diagnostics().encode()).doesNotContain("s3cret");
    probe.close();
  }

  @Test
  void fault_36_scopes_are_added_and_the_call_is_sent_again() throws Exception {
    world.challenge = "Bearer scope=\"read\"";
    ChannelProbe probe = person();
    probe.call(1, "tools/list");
    world.needed = Set.of("write");
    assertThat(probe.call(2, "tools/call").payload()).hasToString("{\"n\":2}");
    assertThat(OAuthWorld.fields(prompts.get(1).getRawQuery()).get("scope"))
        .contains("read", "write");
    assertThat(prompts).hasSize(2);
    probe.close();
  }

  @Test
  void fault_36_a_scope_that_is_never_granted_is_forbidden_without_a_loop() throws Exception {
    world.tokenAnswer =
        form -> {
          world.valid.put("weak", Set.of("read"));
          return new Answer(
              200, new JsonObject().put("access_token", "weak").put("token_type", "Bearer"));
        };
    world.needed = Set.of("admin");
    ChannelProbe probe = open(machine());
    expect(probe.fail(1, "tools/call"), Reason.FORBIDDEN);
    int tokens = world.seen("/token").size();
    assertThat(tokens).isLessThanOrEqualTo(2);
    expect(probe.fail(2, "tools/call"), Reason.FORBIDDEN);
    assertThat(world.seen("/token")).hasSize(tokens);
    assertThat(world.seen("/mcp")).hasSizeLessThanOrEqualTo(5);
    probe.close();
  }

  private void bindsTokens() {
    world.challenge = "DPoP";
    world.metadata(
        new JsonObject().put("dpop_signing_alg_values_supported", new JsonArray().add("ES256")));
    world.tokenAnswer = world::bind;
  }

  private DpopProof proof(int request) {
    return DpopProof.of(String.valueOf(world.seen("/mcp").get(request).headers().get("dpop")));
  }

  @Test
  void each_request_with_a_bound_token_names_its_method_and_its_url_without_the_query()
      throws Exception {
    bindsTokens();
    URI withQuery = URI.create(world.url() + "?key=s3cret");
    ChannelProbe probe =
        open(
            RecordCopy.with(
                RecordCopy.with(HttpOptions.of(withQuery), "listen", false),
                "oauth",
                OAuthOptions.DEFAULT));
    assertThat(probe.call(1, "tools/list").payload()).hasToString("{\"n\":1}");
    assertThat(probe.call(2, "tools/list").payload()).hasToString("{\"n\":2}");
    assertThat(proof(1).claims().getString("htu")).isEqualTo(world.url().toString());
    assertThat(proof(1).claims().getString("htm")).isEqualTo("POST");
    assertThat(proof(1).claims().getString("jti")).isNotEqualTo(proof(2).claims().getString("jti"));
    assertThat(proof(1).jkt()).isEqualTo(proof(2).jkt());
    assertThat(probe.foreignCallbacks()).isZero();
    probe.close();
  }

  @Test
  void a_nonce_of_the_server_costs_one_more_request_when_it_changes() throws Exception {
    bindsTokens();
    world.resourceNonce = "r-1";
    ChannelProbe probe = person();
    assertThat(probe.call(1, "tools/list").payload()).hasToString("{\"n\":1}");
    assertThat(probe.call(2, "tools/list").payload()).hasToString("{\"n\":2}");
    assertThat(world.seen("/mcp")).as("no token, no nonce, right, right").hasSize(4);
    world.resourceNonce = "r-2";
    assertThat(probe.call(3, "tools/list").payload()).hasToString("{\"n\":3}");
    assertThat(world.seen("/mcp")).hasSize(6);
    assertThat(proof(5).claims().getString("nonce")).isEqualTo("r-2");
    assertThat(world.seen("/token")).hasSize(1);
    probe.close();
  }

  @Test
  void a_nonce_that_is_never_right_is_auth_required_without_a_loop() throws Exception {
    bindsTokens();
    ChannelProbe probe = person();
    probe.call(1, "tools/list");
    int before = world.seen("/mcp").size();
    world.anyNonceIsWrong = true;
    expect(probe.fail(2, "tools/list"), Reason.AUTH_REQUIRED);
    assertThat(world.seen("/mcp")).hasSize(before + 3);
    assertThat(world.seen("/token")).hasSize(1);
    probe.close();
  }

  @Test
  void without_oauth_a_401_stays_what_it_was() throws Exception {
    ChannelProbe probe = open(options());
    expect(probe.fail(1, "tools/list"), Reason.AUTH_REQUIRED);
    assertThat(world.seen("/mcp")).hasSize(1);
    probe.close();
  }

  @Test
  void the_get_stream_carries_the_token_too() throws Exception {
    ChannelProbe probe = open(RecordCopy.with(machine(), "listen", true));
    probe.call(0, "initialize");
    probe.run(() -> probe.channel().negotiated("2025-11-25"));
    probe.notify("notifications/initialized");
    await().until(() -> world.seen("/mcp").size() == 4);
    assertThat(world.seen("/mcp").subList(1, 4))
        .allSatisfy(
            seen -> assertThat(seen.headers().get("authorization")).isEqualTo("Bearer at-1"));
    probe.close();
  }

  @Test
  void a_configured_server_gets_its_token_and_becomes_ready() {
    JsonObject entry =
        new JsonObject()
            .put("url", world.url().toString())
            .put(
                "oauth",
                new JsonObject()
                    .put("grant", "client_credentials")
                    .put("clientId", "m")
                    .put("clientSecret", "canary-secret")
                    .put("issuer", world.issuer()));
    try (TestBus bus = TestBus.start(TestBus.server("guarded", entry))) {
      bus.awaitState("guarded", "READY");
      assertThat(world.grants("client_credentials")).hasSize(1);
    }
  }

  @Test
  void a_headers_helper_runs_once_and_again_after_a_401() throws Exception {
    Path headers = Files.writeString(folder.resolve("h"), "{\"Authorization\": \"Bearer old\"}");
    world.valid.put("old", Set.of());
    Path runs = folder.resolve("runs");
    ChannelProbe probe =
        open(
            RecordCopy.with(
                options(),
                "headersHelper",
                Sensitive.of("echo run >> '" + runs + "'; cat '" + headers + "'")));
    probe.call(1, "tools/list");
    probe.call(2, "tools/list");
    assertThat(Files.readAllLines(runs)).hasSize(1);
    world.valid.remove("old");
    world.valid.put("new", Set.of());
    Files.writeString(headers, "{\"Authorization\": \"Bearer new\"}");
    probe.call(3, "tools/list");
    assertThat(Files.readAllLines(runs)).hasSize(2);
    world.valid.clear();
    expect(probe.fail(4, "tools/list"), Reason.AUTH_REQUIRED);
    probe.close();
  }

  @Test
  void a_headers_helper_that_fails_is_auth_required_without_its_output() throws Exception {
    for (String command : List.of("echo s3cret; exit 1", "echo s3cret", "echo '{\"a\": 1}'")) {
      ChannelProbe probe = open(RecordCopy.with(options(), "headersHelper", Sensitive.of(command)));
      TransportException failure = probe.fail(1, "tools/list");
      expect(failure, Reason.AUTH_REQUIRED);
      assertThat(failure).hasMessageContaining("headersHelper").hasMessageNotContaining("s3cret");
      probe.close();
    }
    assertThat(world.seen("/mcp")).isEmpty();
  }
}
