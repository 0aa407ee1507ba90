package dev.mcpbus.cluster.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.testing.InnerCluster;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Three nodes: one asks the second to pass a request on to the third. */
class RelayedRequestsIT {

  private static final String ADDRESS = "mcp.s1.tools.call";
  private static final String UNANSWERED = "{\"wait\":true}";

  private final InnerCluster cluster = new InnerCluster(3);
  private final AtomicReference<Message<Buffer>> received = new AtomicReference<>();
  private Vertx asking;
  private Vertx owner;
  private String between;

  @BeforeEach
  void start() {
    asking = join("asking");
    between = ClusterRequests.of(join("between")).self();
    owner = join("owner");
    TestBus.await(
        owner
            .eventBus()
            .<Buffer>consumer(
                ADDRESS,
                message -> {
                  received.set(message);
                  if (message.body().length() == 0) {
                    McpFailure.badRequest("an empty call").replyTo(message);
                  } else if (!message.body().toString().equals(UNANSWERED)) {
                    message.reply(
                        message.body(), new DeliveryOptions().addHeader(Headers.EPOCH, "7"));
                  }
                })
            .completion());
  }

  private Vertx join(String node) {
    Vertx vertx = cluster.join(node).vertx();
    Codecs.register(vertx);
    return vertx;
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private Message<Buffer> ask(String body, String address) {
    DeliveryOptions options =
        new DeliveryOptions()
            .setSendTimeout(20_000)
            .addHeader(Headers.DEADLINE, "15000")
            .addHeader(Headers.SPEAKS, "1");
    RelayedRequests.mark(options, address);
    return TestBus.await(
        asking.eventBus().request(RelayedRequests.address(between), Buffer.buffer(body), options));
  }

  @Test
  void bytes_headers_and_the_reply_pass_unchanged_and_the_time_goes_on() {
    Message<Buffer> reply = ask("{\"a\":1.0}", ADDRESS);
    assertThat(reply.body()).hasToString("{\"a\":1.0}");
    assertThat(reply.headers().get(Headers.EPOCH)).isEqualTo("7");
    Message<Buffer> there = Objects.requireNonNull(received.get());
    assertThat(there.headers().get(Headers.RELAY)).isNull();
    assertThat(Long.parseLong(there.headers().get(Headers.DEADLINE)))
        .isPositive()
        .isLessThanOrEqualTo(15_000);
  }

  @Test
  void a_failure_passes_with_its_code_and_its_text() {
    Throwable failure = catchThrowable(() -> ask("", ADDRESS));
    McpFailure told = McpFailure.of(failure);
    assertThat(told.code()).isEqualTo(FailureCode.BAD_REQUEST);
    assertThat(told.getMessage()).contains("an empty call");
    assertThat(told.sent()).isEqualTo(McpFailure.Sent.NO);
  }

  @Test
  void the_loss_of_the_owner_ends_what_was_passed_on_to_it() {
    DeliveryOptions options =
        new DeliveryOptions().setSendTimeout(600_000).addHeader(Headers.SPEAKS, "1");
    RelayedRequests.mark(options, ADDRESS);
    Future<Message<Object>> waits =
        asking
            .eventBus()
            .request(RelayedRequests.address(between), Buffer.buffer(UNANSWERED), options);
    Awaitility.await("it has arrived").until(() -> received.get() != null);
    TestBus.await(owner.close());
    Throwable failure = catchThrowable(() -> TestBus.await(waits));
    McpFailure told = McpFailure.of(failure);
    assertThat(told.code()).isEqualTo(FailureCode.OWNER_LOST);
    assertThat(told.sent()).isEqualTo(McpFailure.Sent.MAYBE);
  }

  @Test
  void where_no_node_serves_the_address_nothing_was_sent() {
    Throwable failure = catchThrowable(() -> ask("{}", "mcp.s2.tools.call"));
    McpFailure told = McpFailure.of(failure);
    assertThat(told.sent()).isEqualTo(McpFailure.Sent.NO);
  }
}
