package dev.mcpbus.gateway.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.ClientAnswer;
import dev.mcpbus.bus.Events;
import dev.mcpbus.bus.ServerNotice;
import dev.mcpbus.gateway.client.CallRegistry.Caller;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What comes from a private connection before this host has its id. */
class CallRegistryTest {

  private final CallRegistry registry = new CallRegistry("host");

  /** The methods that a caller got, in order. */
  private static final class Client implements Caller {
    private final List<String> heard = new ArrayList<>();

    @Override
    public void reported(String callId, String method, RawJson params) {}

    @Override
    public Future<ClientAnswer> asked(
        @Nullable String callId,
        @Nullable String connection,
        String question,
        String method,
        RawJson params) {
      return Future.failedFuture("no questions here");
    }

    @Override
    public void withdrawn(String question) {}

    @Override
    public boolean giveUp(String connection) {
      return false;
    }

    @Override
    public void heard(ServerNotice event) {
      heard.add(event.method());
    }
  }

  private void comes(String connection, String method) {
    registry.heard(new ServerNotice(connection, Events.NOTIFICATION, method, RawJson.NULL, null));
  }

  @Test
  void what_a_server_says_before_the_id_of_its_connection_is_known_waits_for_the_caller() {
    Client client = new Client();
    registry.opening();
    comes("own", "first");
    comes("own", "second");
    registry.addConnection("own", client);
    registry.opened();
    comes("own", "third");
    assertThat(client.heard).containsExactly("first", "second", "third");
  }

  @Test
  void it_waits_for_its_own_opening_and_not_for_that_of_another_one() {
    Client client = new Client();
    Client other = new Client();
    registry.opening();
    registry.opening();
    comes("own", "first");
    registry.addConnection("other", other);
    registry.opened();
    assertThat(other.heard).isEmpty();
    registry.addConnection("own", client);
    registry.opened();
    assertThat(client.heard).containsExactly("first");
  }

  @Test
  void it_is_dropped_where_no_connection_is_being_opened_any_more() {
    Client client = new Client();
    comes("own", "of an older one");
    registry.opening();
    comes("own", "of one that was refused");
    registry.opened();
    registry.addConnection("own", client);
    assertThat(client.heard).isEmpty();
  }

  @Test
  void no_more_than_the_bound_waits() {
    Client client = new Client();
    registry.opening();
    for (int i = 0; i < CallRegistry.MAX_EARLY + 10; i++) {
      comes("own", "n" + i);
    }
    registry.addConnection("own", client);
    registry.opened();
    assertThat(client.heard).hasSize(CallRegistry.MAX_EARLY).startsWith("n0", "n1");
  }
}
