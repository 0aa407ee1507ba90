package dev.mcpbus.transport.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.transport.Acceptor;
import dev.mcpbus.transport.Recorder;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.TransportContract;
import dev.mcpbus.transport.TransportException.Reason;
import org.junit.jupiter.api.Test;

class InMemoryTransportTest extends TransportContract {

  @Override
  protected Transport connectTo(Acceptor acceptor) {
    return new InMemoryTransport("test", serverContext, acceptor, WINDOW);
  }

  @Test
  void an_acceptor_that_throws_closes_the_clients_end() throws Exception {
    Transport transport =
        connectTo(
            channel -> {
              throw new AssertionError("not today");
            });
    Recorder client = new Recorder(clientContext);
    get(run(clientContext, () -> transport.open(clientContext, client)));
    await().until(() -> client.closings().size() == 1);
    assertThat(client.closings().get(0).reason()).isEqualTo(Reason.UPSTREAM_RESET);
  }
}
