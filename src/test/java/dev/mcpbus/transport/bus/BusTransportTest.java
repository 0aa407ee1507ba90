package dev.mcpbus.transport.bus;

import static java.time.Duration.ofHours;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.hosting.BuiltInTransports;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.MessageWriter;
import dev.mcpbus.transport.Acceptor;
import dev.mcpbus.transport.AuthenticatorFactory;
import dev.mcpbus.transport.BusOptions;
import dev.mcpbus.transport.Channel;
import dev.mcpbus.transport.OutboundMessage;
import dev.mcpbus.transport.Recorder;
import dev.mcpbus.transport.Transport;
import dev.mcpbus.transport.TransportContract;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.DeliveryOptions;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BusTransportTest extends TransportContract {

  private static final String ADDRESS = "test.server";
  private static final BusTuning TUNING =
      RecordCopy.with(
          RecordCopy.with(BusTuning.DEFAULT, "window", WINDOW), "heartbeat", Duration.ofMillis(50));

  @Override
  protected Transport connectTo(Acceptor acceptor) throws Exception {
    listen(acceptor);
    return transport();
  }

  private Transport transport() {
    return new BusTransport(vertx, new BusOptions(ADDRESS), TUNING);
  }

  private BusServer listen(Acceptor acceptor) throws Exception {
    return get(run(serverContext, () -> BusServer.listen(vertx, ADDRESS, acceptor, TUNING)));
  }

  @Test
  void nobody_at_the_address_fails_the_opening_and_names_it() {
    Transport transport =
        BuiltInTransports.create(
            vertx, new BusOptions("no.such.server"), AuthenticatorFactory.NONE);
    assertRefused(transport, "no.such.server", "no server listens");
  }

  @Test
  void a_listener_that_is_no_server_of_ours_fails_the_opening() {
    vertx.eventBus().consumer(ADDRESS, message -> message.reply("hello"));
    assertRefused(transport(), ADDRESS, "not an MCP server");
  }

  @Test
  void an_acceptor_that_throws_refuses_the_connection_and_leaves_nothing() throws Exception {
    BusServer server =
        listen(
            channel -> {
              throw new AssertionError("not today");
            });
    assertRefused(transport(), ADDRESS, "AssertionError");
    assertThat(run(serverContext, server::connections)).isZero();
  }

  @Test
  void a_server_that_vanishes_without_a_word_is_noticed_by_an_idle_client() throws Exception {
    String deployment =
        get(
            vertx.deployVerticle(
                new VerticleBase() {
                  @Override
                  public Future<?> start() {
                    return BusServer.listen(vertx, ADDRESS, channel -> new Recorder(null), TUNING);
                  }
                }));
    Recorder client = new Recorder(clientContext);
    get(run(clientContext, () -> transport().open(clientContext, client)));
    get(vertx.undeploy(deployment));
    await().until(() -> client.closings().size() == 1);
    assertThat(client.closings().get(0).reason()).isEqualTo(Reason.UPSTREAM_RESET);
    assertThat(client.closings().get(0)).hasMessageContaining("is gone");
    assertThat(client.strays()).isEmpty();
  }

  @Test
  void an_idle_connection_to_a_living_server_stays() throws Exception {
    AtomicInteger pings = new AtomicInteger();
    vertx
        .eventBus()
        .addInboundInterceptor(
            delivery -> {
              if (BusFrames.PING.equals(delivery.message().headers().get(BusFrames.FRAME))) {
                pings.incrementAndGet();
              }
              delivery.next();
            });
    Recorder server = new Recorder(null);
    listen(channel -> server);
    Recorder client = new Recorder(clientContext);
    get(run(clientContext, () -> transport().open(clientContext, client)));
    await().until(() -> pings.get() > 6);
    assertThat(client.closings()).isEmpty();
    assertThat(server.closings()).isEmpty();
    assertThat(server.count()).isZero();
  }

  @Test
  void a_server_that_takes_nothing_any_more_counts_as_gone() throws Exception {
    vertx.eventBus().consumer("mcpbus.channel.silent", message -> {});
    vertx
        .eventBus()
        .consumer(
            ADDRESS,
            message ->
                message.reply(
                    null,
                    new DeliveryOptions().addHeader(BusFrames.CHANNEL, "mcpbus.channel.silent")));
    BusTuning hasty =
        RecordCopy.with(
            RecordCopy.with(BusTuning.DEFAULT, "takeTimeout", Duration.ofMillis(100)),
            "heartbeat",
            ofHours(1));
    Recorder client = new Recorder(clientContext);
    Channel here =
        get(
            run(
                clientContext,
                () ->
                    new BusTransport(vertx, new BusOptions(ADDRESS), hasty)
                        .open(clientContext, client)));
    byte[] bytes = MessageWriter.request(1, "ping", null);
    run(
        clientContext,
        () -> {
          here.send(OutboundMessage.request(1, "ping", bytes));
          return "sent";
        });
    await().until(() -> client.closings().size() == 1);
    assertThat(client.closings().get(0)).hasMessageContaining("no longer answers");
    assertThat(client.closings().get(0).reached()).isEqualTo(Reached.MAYBE);
  }

  @Test
  void closing_the_server_closes_its_connections_and_frees_the_address() throws Exception {
    BusServer server = listen(channel -> new Recorder(null));
    Recorder client = new Recorder(clientContext);
    get(run(clientContext, () -> transport().open(clientContext, client)));
    assertThat(run(serverContext, server::connections)).isEqualTo(1);
    get(run(serverContext, server::close));
    await().until(() -> client.closings().size() == 1);
    assertThat(run(serverContext, server::connections)).isZero();
    assertRefused(transport(), ADDRESS, "no server listens");
  }

  @Test
  void a_closed_connection_leaves_the_server_without_it() throws Exception {
    BusServer server = listen(channel -> new Recorder(null));
    Channel here =
        get(run(clientContext, () -> transport().open(clientContext, new Recorder(clientContext))));
    get(run(clientContext, here::close));
    await().until(() -> run(serverContext, server::connections) == 0);
  }

  @Test
  void a_message_that_is_no_connect_frame_is_refused_with_a_reason() throws Exception {
    listen(channel -> new Recorder(null));
    assertThatThrownBy(() -> get(vertx.eventBus().request(ADDRESS, "hello")))
        .hasMessageContaining("only the bus transport");
  }

  private void assertRefused(Transport transport, String... words) {
    assertThatThrownBy(
            () ->
                get(
                    run(
                        clientContext,
                        () -> transport.open(clientContext, new Recorder(clientContext)))))
        .cause()
        .hasMessageContainingAll(words)
        .isInstanceOfSatisfying(
            TransportException.class,
            failure -> {
              assertThat(failure.reason()).isEqualTo(Reason.CONNECT_FAILED);
              assertThat(failure.reached()).isEqualTo(Reached.NO);
            });
  }
}
