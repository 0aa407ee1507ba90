package dev.mcpbus.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.options.RpcLogTaps;
import dev.mcpbus.protocol.MessageTap;
import dev.mcpbus.testing.ScriptedPeer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The mode of the RPC log that an operator sets for a time. */
class RpcLogSwitchTest {

  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
  private static final MessageTap SHOWN = (direction, message) -> {};

  private final ManualTimers timers = new ManualTimers();
  private final List<@Nullable MessageTap> session = new ArrayList<>();

  private record OneTap(String configured, @Nullable TemporaryMode temporary)
      implements RpcLogTaps {
    @Override
    public List<String> modes() {
      return List.of("off", "on", "bus");
    }

    @Override
    public @Nullable MessageTap tap(String mode) {
      return mode.equals(OFF) ? null : SHOWN;
    }
  }

  private RpcLogSwitch log(String configured) {
    return new RpcLogSwitch(
        new OneTap(configured, null), timers, () -> NOW.plusMillis(timers.millis()), session::add);
  }

  private static JsonObject json(String text) {
    return new JsonObject(text);
  }

  @Test
  void it_begins_as_configured_and_without_a_timer() {
    assertThat(log("off").tap()).isNull();
    RpcLogSwitch log = log("bus");
    assertThat(log.tap()).isSameAs(SHOWN);
    assertThat(log.isTemporary()).isFalse();
    assertThat(log.toJson()).isEqualTo(json("{\"mode\":\"bus\"}"));
    assertThat(timers.armed()).isZero();
  }

  @Test
  void it_begins_with_the_mode_that_an_operator_has_set_for_its_server() {
    RpcLogTaps.TemporaryMode shown = new RpcLogTaps.TemporaryMode("bus", NOW.plusSeconds(20));
    RpcLogSwitch log = new RpcLogSwitch(new OneTap("off", shown), timers, () -> NOW, session::add);
    assertThat(log.tap()).isSameAs(SHOWN);
    assertThat(log.toJson())
        .isEqualTo(json("{\"mode\":\"bus\",\"until\":\"2026-03-01T12:00:20Z\"}"));
    timers.pass(20_000);
    assertThat(log.tap()).isNull();

    RpcLogTaps.TemporaryMode over = new RpcLogTaps.TemporaryMode("bus", NOW);
    RpcLogSwitch late = new RpcLogSwitch(new OneTap("off", over), timers, () -> NOW, session::add);
    assertThat(late.tap()).isNull();
    assertThat(timers.armed()).isZero();
  }

  @Test
  void another_mode_holds_for_its_time_and_ten_minutes_without_one() {
    RpcLogSwitch log = log("off");
    assertThat(log.set(json("{\"mode\":\"bus\",\"seconds\":30}")))
        .isEqualTo(json("{\"mode\":\"bus\",\"until\":\"2026-03-01T12:00:30Z\"}"));
    assertThat(session).containsExactly(SHOWN);
    assertThat(log.tap()).isSameAs(SHOWN);
    timers.pass(29_999);
    assertThat(log.isTemporary()).isTrue();
    timers.pass(1);
    assertThat(log.toJson()).isEqualTo(json("{\"mode\":\"off\"}"));
    assertThat(session).containsExactly(SHOWN, null);

    log.set(json("{\"mode\":\"on\"}"));
    timers.pass(599_999);
    assertThat(log.isTemporary()).isTrue();
    timers.pass(1);
    assertThat(log.isTemporary()).isFalse();
  }

  @Test
  void a_later_change_replaces_the_time_of_the_first() {
    RpcLogSwitch log = log("off");
    log.set(json("{\"mode\":\"bus\",\"seconds\":10}"));
    timers.pass(9_000);
    log.set(json("{\"mode\":\"bus\",\"seconds\":60}"));
    assertThat(session).as("the session keeps its tap").containsExactly(SHOWN);
    timers.pass(59_000);
    assertThat(log.isTemporary()).isTrue();
    assertThat(timers.armed()).isOne();
  }

  @Test
  void null_and_the_configured_mode_end_it_at_once() {
    for (String back : List.of("{\"mode\":null}", "{\"mode\":\"bus\",\"seconds\":5}")) {
      RpcLogSwitch log = log("bus");
      log.set(json("{\"mode\":\"off\"}"));
      assertThat(log.tap()).isNull();
      assertThat(log.set(json(back))).isEqualTo(json("{\"mode\":\"bus\"}"));
      assertThat(log.tap()).isSameAs(SHOWN);
      assertThat(timers.armed()).isZero();
    }
  }

  @Test
  void a_wrong_body_changes_nothing_and_names_what_is_right() {
    RpcLogSwitch log = log("off");
    for (String wrong : List.of("{}", "{\"mode\":\"loud\"}", "{\"mode\":true}")) {
      assertThatThrownBy(() -> log.set(json(wrong)))
          .isInstanceOf(McpFailure.class)
          .hasMessageContaining("[off, on, bus]");
    }
    for (String seconds : List.of("0", "86401", "1.5", "\"9\"", "99999999999")) {
      String body = "{\"mode\":\"bus\",\"seconds\":" + seconds + "}";
      assertThatThrownBy(() -> log.set(json(body))).hasMessageContaining("1 to 86400");
    }
    assertThat(log.isTemporary()).isFalse();
    assertThat(timers.armed()).isZero();
  }

  @Test
  void the_end_of_the_connection_leaves_no_timer() {
    RpcLogSwitch log = log("off");
    log.set(json("{\"mode\":\"bus\"}"));
    log.close();
    assertThat(timers.armed()).isZero();
  }

  @Test
  void a_session_shows_its_messages_at_once_and_so_does_the_next_one() {
    try (TestBus bus = TestBus.start(new JsonObject())) {
      ScriptedPeer peer =
          ScriptedPeer.discover(
              bus.vertx(),
              (method, params, connection) ->
                  method.equals("tools/call") ? "\"result\":{\"content\":[]}" : null);
      List<JsonObject> seen = new CopyOnWriteArrayList<>();
      bus.vertx()
          .eventBus()
          .<JsonObject>consumer(Addresses.RPC, message -> seen.add(message.body()));
      bus.add("s", peer.transport(), ConnectionOptions.DEFAULT, Duration.ofMillis(200));
      long epoch = bus.awaitState("s", "READY").getLong("epoch");
      JsonObject secret = new JsonObject().put("password", "hunter2");
      raw(bus, secret);
      assertThat(bus.status("s").containsKey("rpcLog")).isFalse();

      JsonObject set = bus.request("mcp.s.rpclog", json("{\"mode\":\"bus\",\"seconds\":900}"));
      assertThat(set.getString("mode")).isEqualTo("bus");
      assertThat(bus.status("s").getJsonObject("rpcLog")).isEqualTo(set);
      assertThat(bus.status("s").getLong("epoch")).as("the same session").isEqualTo(epoch);
      assertThat(seen).as("nothing of before").isEmpty();
      raw(bus, secret);
      await().until(() -> seen.size() >= 2);
      assertThat(seen).extracting(one -> one.getString("direction")).contains("sent", "received");
      assertThat(seen).noneMatch(one -> one.encode().contains("hunter2"));

      seen.clear();
      bus.request("mcp.s.restart", new JsonObject());
      await()
          .until(
              () ->
                  bus.status("s").getLong("epoch") > epoch
                      && bus.status("s").getString("state").equals("READY"));
      await()
          .until(
              () ->
                  seen.stream()
                      .anyMatch(one -> one.getString("message").contains("server/discover")));

      assertThat(bus.<JsonObject>request("mcp.s.rpclog", json("{\"mode\":null}")))
          .isEqualTo(json("{\"mode\":\"off\"}"));
      assertThat(bus.status("s").containsKey("rpcLog")).isFalse();
      assertThat(bus.failure("mcp.s.rpclog", new JsonObject()).code())
          .isEqualTo(FailureCode.BAD_REQUEST);
    }
  }

  /** A call that passes whatever the list of tools says. */
  private static void raw(TestBus bus, JsonObject arguments) {
    JsonObject call = TestBus.toolCall("any", arguments);
    bus.request("mcp.s.request", new JsonObject().put("method", "tools/call").put("params", call));
  }
}
