package dev.mcpbus.cluster.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.Promise;
import io.vertx.core.eventbus.Message;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class InFlightRequestsTest {

  private static final String NODE = "n2";

  private final InFlightRequests requests = new InFlightRequests();
  private final Promise<Message<Object>> reply = Promise.promise();

  private InFlightRequests.InFlightRequest<Object> begin(boolean passedOn) {
    return begin(passedOn, null);
  }

  private InFlightRequests.InFlightRequest<Object> begin(
      boolean passedOn, @Nullable String expected) {
    return requests.begin(null, null, null, expected, passedOn, reply);
  }

  private void assertOwnerLost() {
    McpFailure told = McpFailure.of(reply.future().cause());
    assertThat(told.code()).isEqualTo(FailureCode.OWNER_LOST);
    assertThat(told.sent()).isEqualTo(McpFailure.Sent.MAYBE);
    assertThat(requests.all()).isEmpty();
  }

  @Test
  void a_request_to_a_node_that_leaves_ends() {
    assertThat(begin(false).goesTo(NODE, false)).isTrue();
    requests.left(NODE);
    assertOwnerLost();
  }

  @Test
  void a_request_for_which_a_node_is_chosen_that_has_left_ends() {
    requests.left(NODE);
    begin(false).goesTo(NODE, false);
    assertOwnerLost();
  }

  /** A program's own cluster never reports the node. */
  @Test
  void without_reports_a_request_to_an_owner_that_has_left_meanwhile_ends() {
    assertThat(requests.mayGoToLostNode()).isFalse();
    requests.leaves(NODE);
    assertThat(requests.mayGoToLostNode()).isTrue();
    begin(false, NODE);
    assertOwnerLost();
  }

  @Test
  void with_reports_the_bus_is_asked_for_the_node_of_every_request() {
    begin(false).goesTo("another", false);
    requests.leaves(NODE);
    assertThat(requests.mayGoToLostNode()).isFalse();
    begin(false, NODE);
    assertThat(reply.future().isComplete()).isFalse();
  }

  /** The node may live: this node has dropped it and the sender asks it for an answer. */
  @Test
  void what_is_passed_on_goes_to_a_node_that_has_left_and_ends_when_it_leaves_again() {
    requests.left(NODE);
    assertThat(begin(true).goesTo(NODE, false)).isTrue();
    assertThat(reply.future().isComplete()).isFalse();
    requests.joined(NODE);
    requests.left(NODE);
    assertOwnerLost();
  }

  @Test
  void what_was_taken_back_goes_nowhere() {
    InFlightRequests.InFlightRequest<Object> request = begin(false);
    assertThat(request.takeBack()).isTrue();
    assertThat(request.goesTo(NODE, false)).isFalse();
    request.failedOnBus(new IllegalStateException("the bus found no node"));
    assertThat(reply.future().isComplete()).isFalse();
  }

  @Test
  void what_was_sent_is_not_taken_back() {
    InFlightRequests.InFlightRequest<Object> request = begin(false);
    request.goesTo(NODE, false);
    assertThat(request.takeBack()).isFalse();
  }
}
