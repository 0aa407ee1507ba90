package dev.mcpbus.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.ConnectionFacts;
import dev.mcpbus.bus.ConnectionTelemetry;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.InboundSpan;
import dev.mcpbus.bus.MetricsPage;
import dev.mcpbus.bus.Telemetry;
import dev.mcpbus.bus.TelemetryOperation;
import dev.mcpbus.security.AccessControl;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.ApiKey;
import dev.mcpbus.security.AuthOptions.Effect;
import dev.mcpbus.security.AuthOptions.Limits;
import dev.mcpbus.security.AuthOptions.Policy;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.junit5.VertxExtension;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Who may read {@code /metrics}. */
@ExtendWith(VertxExtension.class)
class MetricsRouteTest {

  /** Measures nothing, and has a page. */
  private record Page(String text) implements Telemetry {
    @Override
    public @Nullable ConnectionTelemetry connection(ConnectionFacts facts) {
      return null;
    }

    @Override
    public @Nullable TelemetryOperation received(InboundSpan request) {
      return null;
    }

    @Override
    public void sessionEnded(String version, long nanos) {}

    @Override
    public void repeated(String server, FailureCode code) {}

    @Override
    public MetricsPage page() {
      return (accept, principals) ->
          Future.succeededFuture(
              new MetricsPage.MetricsText(
                  "text/plain",
                  Buffer.buffer(text + (principals ? "with" : "without") + " principals")));
    }

    @Override
    public Future<Void> close() {
      return Future.succeededFuture();
    }
  }

  private static final ApiKeys.Fresh KEY = ApiKeys.generate(new SecureRandom());

  private static int status(Vertx vertx, boolean admin, Policy... policies) {
    return page(vertx, admin, policies).status();
  }

  private static BridgeFixture.Answer page(Vertx vertx, boolean admin, Policy... policies) {
    Telemetry.use(vertx, new Page("page "));
    AuthOptions auth =
        new AuthOptions(
            List.of(new ApiKey("prometheus", KEY.hash(), Set.of(), admin, null, null)),
            List.of(),
            null,
            AuthOptions.Dpop.DEFAULT,
            List.of(policies),
            Limits.UNBOUNDED,
            false,
            null);
    AccessControl access =
        new AccessControl(
            auth, InstantSource.system(), System::nanoTime, new SecureRandom(), () -> 0);
    BridgeFixture bridge = new BridgeFixture(vertx, access);
    assertThat(bridge.get("/metrics").status()).as("without a key").isEqualTo(401);
    MultiMap headers =
        MultiMap.caseInsensitiveMultiMap().add("Authorization", "Bearer " + KEY.key());
    return bridge.send(HttpMethod.GET, "/metrics", "", headers);
  }

  private static Policy policy(Effect effect, List<String> servers, Action... actions) {
    return new Policy(List.of("prometheus"), servers, List.of(), Set.of(actions), effect);
  }

  @Test
  void without_a_login_every_caller_on_this_machine_may(Vertx vertx) {
    Telemetry.use(vertx, new Page("page "));
    BridgeFixture bridge = new BridgeFixture(vertx);
    assertThat(bridge.get("/metrics").body()).isEqualTo("page with principals");
  }

  @Test
  void without_metrics_the_answer_names_the_setting(Vertx vertx) {
    BridgeFixture.Answer answer = new BridgeFixture(vertx).get("/metrics");
    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.body()).contains("\\\"metrics\\\": {\\\"enabled\\\": true}");
  }

  @Test
  void without_policies_any_key_may(Vertx vertx) {
    assertThat(status(vertx, false)).isEqualTo(200);
  }

  @Test
  void under_policies_one_that_names_the_action_is_needed(Vertx vertx) {
    assertThat(status(vertx, false, policy(Effect.ALLOW, List.of(), Action.METRICS)))
        .isEqualTo(200);
  }

  @Test
  void a_policy_for_everything_else_is_not_enough(Vertx vertx) {
    assertThat(status(vertx, false, policy(Effect.ALLOW, List.of()))).isEqualTo(403);
  }

  @Test
  void a_policy_for_one_server_is_not_enough(Vertx vertx) {
    assertThat(status(vertx, false, policy(Effect.ALLOW, List.of("a"), Action.METRICS)))
        .isEqualTo(403);
  }

  @Test
  void a_denial_of_everything_beats_the_permission(Vertx vertx) {
    Policy allow = policy(Effect.ALLOW, List.of(), Action.METRICS);
    assertThat(status(vertx, false, allow, policy(Effect.DENY, List.of()))).isEqualTo(403);
  }

  @Test
  void the_admin_right_is_enough_where_policies_allow_it(Vertx vertx) {
    assertThat(status(vertx, true, policy(Effect.ALLOW, List.of()))).isEqualTo(200);
  }

  @Test
  void principals_are_named_to_administrators_of_all_servers_alone(Vertx vertx) {
    Policy metrics = policy(Effect.ALLOW, List.of(), Action.METRICS);
    Policy all = policy(Effect.ALLOW, List.of());
    Policy not = policy(Effect.DENY, List.of("a"), Action.ADMIN);
    assertThat(page(vertx, false).body()).isEqualTo("page without principals");
    assertThat(page(vertx, false, metrics, all).body()).isEqualTo("page without principals");
    assertThat(page(vertx, true).body()).isEqualTo("page with principals");
    assertThat(page(vertx, true, metrics, all).body()).isEqualTo("page with principals");
    assertThat(page(vertx, true, metrics).body()).isEqualTo("page without principals");
    assertThat(page(vertx, true, metrics, all, not).body()).isEqualTo("page without principals");
  }
}
