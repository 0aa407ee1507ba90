package dev.mcpbus.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.internals.InboundConnection;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ConnectionLimitsTest {

  private static final long LIMIT = Duration.ofSeconds(60).toNanos();

  private final Map<InboundConnection, EmbeddedChannel> channels = new HashMap<>();
  private long now = 1;

  /** A connection whose client has been heard of just now. */
  private InboundConnection open(ConnectionLimits limits, String address) {
    EmbeddedChannel channel = new EmbeddedChannel();
    InboundConnection connection = new InboundConnection(channel, address);
    channels.put(connection, channel);
    now += Duration.ofSeconds(1).toNanos();
    connection.waits(now, LIMIT, false);
    limits.opened(connection);
    return connection;
  }

  private boolean isOpen(InboundConnection connection) {
    Objects.requireNonNull(channels.get(connection)).runPendingTasks();
    return connection.isOpen();
  }

  private ConnectionLimits limits(int max, int maxPerAddress) {
    return new ConnectionLimits(max, maxPerAddress, () -> now);
  }

  @Test
  void the_longest_idle_one_makes_room() {
    ConnectionLimits limits = limits(3, 3);
    InboundConnection first = open(limits, "a");
    InboundConnection second = open(limits, "a");
    InboundConnection busy = open(limits, "a");
    first.waits(++now, LIMIT, false);
    busy.works();

    InboundConnection fourth = open(limits, "a");

    assertThat(isOpen(second)).isFalse();
    assertThat(List.of(first, busy, fourth)).allMatch(this::isOpen);
    assertThat(limits.open()).isEqualTo(3);
    assertThat(limits.refusal(fourth)).isNull();
  }

  @Test
  void the_address_that_has_most_gives() {
    ConnectionLimits limits = limits(4, 4);
    InboundConnection oldest = open(limits, "few");
    InboundConnection first = open(limits, "many");
    InboundConnection second = open(limits, "many");
    InboundConnection third = open(limits, "many");

    InboundConnection other = open(limits, "other");

    assertThat(isOpen(first)).isFalse();
    assertThat(List.of(oldest, second, third, other)).allMatch(this::isOpen);
  }

  @Test
  void one_address_that_uses_all_it_may_have_leaves_room_for_others() {
    ConnectionLimits limits = limits(4, 3);
    List<InboundConnection> used = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      InboundConnection connection = open(limits, "greedy");
      connection.works();
      used.add(connection);
    }

    InboundConnection more = open(limits, "greedy");
    InboundConnection other = open(limits, "other");

    assertThat(refusal(limits, more)).contains("bridge.maxConnectionsPerAddress");
    assertThat(limits.refusal(other)).isNull();
    assertThat(used).allMatch(this::isOpen);
  }

  @Test
  void one_that_is_used_meanwhile_stays_and_another_goes() {
    ConnectionLimits limits = limits(2, 2);
    InboundConnection first = open(limits, "a");
    InboundConnection second = open(limits, "a");

    open(limits, "a");
    first.works();

    assertThat(isOpen(first)).isTrue();
    assertThat(isOpen(second)).isFalse();
    assertThat(limits.open()).isEqualTo(2);
  }

  @Test
  void if_all_are_in_use_further_ones_are_refused_until_one_ends() {
    ConnectionLimits limits = limits(2, 2);
    InboundConnection first = open(limits, "a");
    InboundConnection second = open(limits, "b");
    first.works();
    second.works();

    InboundConnection third = open(limits, "c");

    assertThat(refusal(limits, third))
        .contains("2 connections are in use", "bridge.maxConnections");
    assertThat(List.of(first, second, third)).allMatch(this::isOpen);
    Objects.requireNonNull(channels.get(first)).close().syncUninterruptibly();
    assertThat(limits.refusal(third)).isNull();
  }

  @Test
  void the_reserve_is_bounded_and_the_longest_idle_of_it_makes_room() {
    ConnectionLimits limits = limits(1, 1);
    open(limits, "a").works();
    List<InboundConnection> reserve = new ArrayList<>();
    for (int i = 0; i < ConnectionLimits.RESERVE; i++) {
      reserve.add(open(limits, "a"));
    }
    assertThat(reserve).allMatch(this::isOpen);

    InboundConnection next = open(limits, "a");

    assertThat(isOpen(reserve.get(0))).isFalse();
    assertThat(isOpen(next)).isTrue();
    assertThat(limits.open()).isEqualTo(1 + ConnectionLimits.RESERVE);
  }

  @Test
  void half_a_body_is_in_use_for_ten_seconds() {
    ConnectionLimits limits = limits(1, 1);
    InboundConnection slow = open(limits, "a");
    slow.waits(now, LIMIT, true);

    now += Duration.ofSeconds(8).toNanos();
    assertThat(limits.refusal(open(limits, "a"))).isNotNull(); // one second later
    assertThat(isOpen(slow)).isTrue();
    open(limits, "a");
    open(limits, "a");

    assertThat(isOpen(slow)).isFalse();
  }

  @Test
  void what_has_ended_is_not_counted_whatever_ended_it() {
    ConnectionLimits limits = limits(10, 10);
    for (int i = 0; i < 1_000; i++) {
      InboundConnection connection = open(limits, "a" + i % 7);
      connection.upgraded();
      Objects.requireNonNull(channels.get(connection)).close().syncUninterruptibly();
    }
    assertThat(limits.open()).isZero();
  }

  private static String refusal(ConnectionLimits limits, InboundConnection connection) {
    @Nullable McpFailure refusal = limits.refusal(connection);
    return String.valueOf(Objects.requireNonNull(refusal, "refused").getMessage());
  }
}
