package dev.mcpbus.observability.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.ConnectionFacts;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.OutboundSpan;
import org.junit.jupiter.api.Test;

class ServerMetersTest {

  private record CallerFactsOfTest(String principal) implements ConnectionFacts {
    @Override
    public String server() {
      return "crm";
    }

    @Override
    public boolean isShared() {
      return false;
    }

    @Override
    public String transport() {
      return "stdio";
    }

    @Override
    public String place() {
      return "crm";
    }

    @Override
    public ConnectionState state() {
      return ConnectionState.READY;
    }

    @Override
    public int inFlight() {
      return 0;
    }

    @Override
    public int waiting() {
      return 0;
    }

    @Override
    public int openBreakers() {
      return 0;
    }
  }

  private final ServerMeters crm = new ServerMeters(new OperationTimers(), "crm");

  private static OutboundSpan call(boolean ofCaller) {
    return new OutboundSpan(1, "tools/call", "echo", null, null, ofCaller);
  }

  private ConnectionMeters connect(String principal) {
    ConnectionMeters one = new ConnectionMeters(crm, new CallerFactsOfTest(principal), crm::remove);
    crm.add(one);
    return one;
  }

  @Test
  void the_requests_of_a_principal_outlive_its_connection() {
    for (int i = 0; i < 2; i++) {
      ConnectionMeters one = connect("alice");
      one.sent(call(true)).succeeded(false);
      one.close();
    }
    connect("alice").sent(call(true)).succeeded(true);
    connect("alice").sent(call(false)).succeeded(false);
    assertThat(crm.callers()).containsOnlyKeys("alice").containsEntry("alice", 3L);
  }

  @Test
  void a_hundred_principals_have_a_name_and_the_others_share_one() {
    for (int i = 0; i < 150; i++) {
      ConnectionMeters one = connect("p" + i);
      one.sent(call(true)).succeeded(false);
      one.close();
    }
    assertThat(crm.callers())
        .hasSize(101)
        .containsEntry("p0", 1L)
        .containsEntry("p99", 1L)
        .containsEntry("other", 50L);
  }
}
