package dev.mcpbus.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.McpFailure.Sent;
import dev.mcpbus.hosting.credentials.OAuthAuthenticators;
import dev.mcpbus.security.oauth.OAuthClient;
import dev.mcpbus.security.oauth.TokenStore;
import dev.mcpbus.testing.OAuthWorld;
import dev.mcpbus.testing.OAuthWorld.Answer;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults 35, 36 and 110: servers that want tokens, and where they send us to get them. */
class OAuthFaultsIT {

  /** Whatever a hostile server may call it, this is where a packet would end up. */
  private static final String SINK = "127.0.0.2";

  private static final String METADATA = "/.well-known/oauth-protected-resource/mcp";

  private static final String LINK_LOCAL = "169.254.169.254";

  private final List<String> lookedUp = new CopyOnWriteArrayList<>();
  private final List<URI> prompts = new CopyOnWriteArrayList<>();
  private volatile Instant now = Instant.now();
  private Vertx vertx;
  private OAuthWorld world;

  @BeforeEach
  void start() {
    vertx = Vertx.vertx();
    world = new OAuthWorld(vertx);
    world.results = OAuthFaultsIT::result;
  }

  @AfterEach
  void stop() {
    world.close();
    vertx.close().await();
  }

  private static JsonObject result(JsonObject call) {
    return switch (call.getString("method")) {
      case "initialize" ->
          OAuthWorld.HELLO
              .copy()
              .put("capabilities", new JsonObject().put("tools", new JsonObject()));
      case "tools/list" ->
          new JsonObject()
              .put(
                  "tools",
                  new JsonArray()
                      .add(
                          new JsonObject()
                              .put("name", HttpBed.TOOL)
                              .put("inputSchema", new JsonObject())));
      default ->
          new JsonObject()
              .put(
                  "content",
                  new JsonArray().add(new JsonObject().put("type", "text").put("text", "fine")));
    };
  }

  /** A victim with OAuth, on a clock and a resolver of the test. */
  private FaultBed bed(URI url, JsonObject oauth) {
    return FaultBed.start(
        HttpBed.entry(url.toString()).put("oauth", oauth),
        servers ->
            TestBus.start(
                servers, new VertxOptions(), made -> OAuthAuthenticators.of(environment(made))));
  }

  private OAuthClient.Environment environment(Vertx made) {
    return new OAuthClient.Environment(
        made,
        TokenStore.inMemory(),
        (server, page, within) -> {
          prompts.add(page);
          world.browse(page);
        },
        this::resolve,
        () -> now,
        Duration.ofSeconds(5),
        Duration.ofSeconds(5));
  }

  /** Never asks anybody: names of the test lead to its own sink, or inside. */
  private Future<List<InetAddress>> resolve(String host) {
    lookedUp.add(host);
    try {
      String address =
          switch (host) {
            case "sink.evil.example", "localhost.evil.example" -> SINK;
            case "metadata.evil.example" -> LINK_LOCAL;
            default -> host;
          };
      return Future.succeededFuture(List.of(InetAddress.getByName(address)));
    } catch (UnknownHostException e) {
      return Future.failedFuture(e);
    }
  }

  private JsonObject machine() {
    return new JsonObject()
        .put("grant", "client_credentials")
        .put("clientId", "m")
        .put("clientSecret", "canary-secret")
        .put("issuer", world.issuer());
  }

  private long count(String method) {
    return world.seen("/mcp").stream().filter(one -> one.body().contains(method)).count();
  }

  private FaultBed revoked() {
    FaultBed bed = bed(world.url(), new JsonObject());
    bed.awaitReady(1);
    assertThat(bed.text(HttpBed.TOOL)).isEqualTo("fine");
    now = now.plus(Duration.ofMinutes(5));
    world.valid.clear();
    return bed;
  }

  @Test
  void case_35_twenty_calls_with_a_revoked_token_share_one_refresh_and_are_sent_again_once() {
    try (FaultBed bed = revoked()) {
      world.holdTokens = true;
      List<Future<Ending>> calls = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        calls.add(bed.sendTool(HttpBed.TOOL));
      }
      FaultBed.until("all to be refused")
          .until(() -> count("tools/call") == 21 && world.grants("refresh_token").size() == 1);
      assertThat(calls).noneMatch(Future::isComplete);
      world.release();
      calls.forEach(call -> assertThat(bed.ending(call).text()).isEqualTo("fine"));
      assertThat(world.grants("refresh_token")).as("single flight").hasSize(1);
      assertThat(count("tools/call")).isEqualTo(41);
      assertThat(prompts).hasSize(1);
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_35_a_fresh_token_that_is_refused_is_auth_required_without_a_loop() {
    try (FaultBed bed = revoked()) {
      world.tokenAnswer =
          form ->
              new Answer(
                  200, new JsonObject().put("access_token", "useless").put("token_type", "Bearer"));
      bed.failure(HttpBed.TOOL, FailureCode.AUTH_REQUIRED, Sent.NO);
      assertThat(count("tools/call")).isEqualTo(3);
      bed.failure(HttpBed.TOOL, FailureCode.AUTH_REQUIRED, Sent.NO);
      assertThat(count("tools/call")).isEqualTo(4);
      assertThat(world.grants("refresh_token")).hasSize(2);
      bed.assertUndisturbed();
    }
  }

  @Test
  void case_36_a_missing_scope_is_asked_for_and_one_that_is_never_granted_is_forbidden() {
    try (FaultBed bed = bed(world.url(), new JsonObject())) {
      bed.awaitReady(1);
      assertThat(bed.text(HttpBed.TOOL)).isEqualTo("fine");
      world.needed = Set.of("write");
      assertThat(bed.text(HttpBed.TOOL)).as("stepped up").isEqualTo("fine");
      world.needed = Set.of("write", "admin");
      world.tokenAnswer =
          form -> {
            world.valid.put("weak", Set.of("write"));
            return new Answer(
                200, new JsonObject().put("access_token", "weak").put("token_type", "Bearer"));
          };
      bed.failure(HttpBed.TOOL, FailureCode.FORBIDDEN, Sent.NO);
      int tokens = world.seen("/token").size();
      long calls = count("tools/call");
      assertThat(calls).isLessThanOrEqualTo(7);
      bed.failure(HttpBed.TOOL, FailureCode.FORBIDDEN, Sent.NO);
      assertThat(world.seen("/token")).as("no loop").hasSize(tokens);
      bed.assertUndisturbed();
    }
  }

  /** PORT is that of a sink on 127.0.0.2, to which the names and addresses would lead. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://169.254.169.254:PORT/latest/meta-data",
        "https://169.254.169.254:PORT/latest/meta-data",
        "https://metadata.evil.example:PORT/",
        "https://[fe80::1]:PORT/",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "data:application/json,{}",
        "ftp://127.0.0.2:PORT/",
        "http://127.0.0.2:PORT/",
        "https://127.0.0.2:PORT/",
        "http://sink.evil.example:PORT/",
        "https://sink.evil.example:PORT/",
        "https://localhost.evil.example:PORT/",
        "https://2130706434:PORT/",
        "https://0x7f000002:PORT/",
        "https://0x7f.0.0.2:PORT/",
        "https://0177.0.0.2:PORT/",
        "https://127.2:PORT/",
        "https://[::ffff:127.0.0.2]:PORT/",
        "https://user@127.0.0.2:PORT/"
      })
  void case_110_no_packet_leaves_for_a_metadata_url_that_leads_inside(String text) {
    try (RawHttpServer sink =
        RawHttpServer.answering(SINK, 0, (request, peer) -> peer.json("{}"))) {
      String url = text.replace("PORT", String.valueOf(sink.port()));
      JsonObject metadata = world.documents.get(METADATA);
      List<Runnable> places =
          List.of(
              () -> {
                world.challenge = "Bearer resource_metadata=\"" + url + "\"";
                world.documents.remove(METADATA);
              },
              () -> {
                world.challenge = "Bearer";
                world.documents.put(METADATA, metadata);
                world.resource(list("authorization_servers", url));
              },
              () -> {
                world.resource(list("authorization_servers", world.issuer()));
                world.metadata(new JsonObject().put("token_endpoint", url));
              },
              () -> world.metadata(new JsonObject().put("registration_endpoint", url)));
      for (Runnable place : places) {
        place.run();
        try (FaultBed bed = bed(world.url(), new JsonObject())) {
          McpFailure failure = bed.failure(HttpBed.TOOL, FailureCode.AUTH_REQUIRED, Sent.NO);
          assertThat(failure).hasMessageContaining("refused");
        }
      }
      assertThat(sink.accepted()).as("packets to the sink").isZero();
      assertThat(count("tools/call")).isZero();
    }
  }

  @Test
  void case_110_a_chain_of_redirects_is_not_followed_to_where_it_leads() {
    try (RawHttpServer sink =
        RawHttpServer.answering(SINK, 0, (request, peer) -> peer.json("{}"))) {
      String inside = "http://" + SINK + ":" + sink.port() + "/";
      world.redirects.put("/hop1", world.base() + "/hop2");
      world.redirects.put("/hop2", inside);
      world.redirects.put("/token", inside);
      world.challenge = "Bearer resource_metadata=\"" + world.base() + "/hop1\"";
      JsonObject metadata = world.documents.remove(METADATA);
      try (FaultBed bed = bed(world.url(), new JsonObject())) {
        bed.failure(HttpBed.TOOL, FailureCode.AUTH_REQUIRED, Sent.NO);
      }
      assertThat(world.seen("/hop2")).as("the hop within the origin").isNotEmpty();
      world.challenge = "Bearer";
      world.documents.put(METADATA, metadata);
      try (FaultBed bed = bed(world.url(), machine())) {
        McpFailure failure = bed.call(HttpBed.TOOL).failed();
        assertThat(failure).isNotNull().hasMessageNotContaining("canary");
      }
      assertThat(world.seen("/token")).isNotEmpty();
      assertThat(sink.accepted()).isZero();
    }
  }

  private static JsonObject list(String key, String item) {
    return new JsonObject(Map.of(key, new JsonArray().add(item)));
  }
}
