package dev.mcpbus.gateway.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bus.CallOrigin;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.gateway.request.HostMessage.AboutTaskMessage;
import dev.mcpbus.gateway.request.HostMessage.CallMessage;
import dev.mcpbus.gateway.request.HostMessage.DeleteMessage;
import dev.mcpbus.gateway.request.HostMessage.DoorEvent;
import dev.mcpbus.gateway.request.HostMessage.FindMessage;
import dev.mcpbus.gateway.request.HostMessage.From;
import dev.mcpbus.gateway.request.HostMessage.GoneMessage;
import dev.mcpbus.gateway.request.HostMessage.KeepMessage;
import dev.mcpbus.gateway.request.HostMessage.ListMessage;
import dev.mcpbus.gateway.request.HostMessage.ListenMessage;
import dev.mcpbus.gateway.request.HostMessage.OpenMessage;
import dev.mcpbus.gateway.request.HostMessage.Parking;
import dev.mcpbus.gateway.request.HostMessage.PostMessage;
import dev.mcpbus.gateway.request.HostMessage.SsePostMessage;
import dev.mcpbus.gateway.request.HostMessage.StatedClient;
import dev.mcpbus.gateway.request.HostMessage.StreamMessage;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.impl.MessageImpl;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What stands on the wire: nodes of other versions read it. */
class HostMessageTest {

  private static final From VIEW = new From("p", "v", "d", "e");
  private static final From NONE = new From("p", null, "d", "e");
  private static final String FROM = "principal=p door=d exchange=e ";
  private static final StatedClient CLIENT = new StatedClient("k", "{}", "{\"name\":\"n\"}");
  private static final String STATED = "client=k capabilities={} client-info={\"name\":\"n\"} ";

  static List<Arguments> messages() {
    return Stream.of(
            Arguments.of(new OpenMessage(VIEW, true), "op=open " + FROM + "view=v lasting=true"),
            Arguments.of(new OpenMessage(VIEW, false), "op=open " + FROM + "view=v"),
            Arguments.of(
                new PostMessage(VIEW, "s", "from"),
                "op=post " + FROM + "view=v source=from session=s"),
            Arguments.of(
                new StreamMessage(VIEW, "s", "e_1"),
                "op=stream " + FROM + "view=v session=s event=e_1"),
            Arguments.of(
                new StreamMessage(VIEW, "s", null), "op=stream " + FROM + "view=v session=s"),
            Arguments.of(new DeleteMessage(VIEW, "s"), "op=delete " + FROM + "view=v session=s"),
            Arguments.of(new KeepMessage("s", "e"), "op=keep session=s exchange=e"),
            Arguments.of(new GoneMessage("s", null, "e"), "op=gone session=s exchange=e"),
            Arguments.of(new GoneMessage(null, "k", "e"), "op=gone client=k exchange=e"),
            Arguments.of(new FindMessage("s", "h", true), "op=find session=s host=h lost=true"),
            Arguments.of(new FindMessage("s", "h", false), "op=find session=s host=h"),
            Arguments.of(
                new CallMessage(
                    NONE, Parking.CALL, CLIENT, "x", "tools.call", "info", null, true, "d"),
                "op=call "
                    + FROM
                    + STATED
                    + "server=x suffix=tools.call level=info as-is=true notices=d"),
            Arguments.of(
                new CallMessage(
                    NONE,
                    Parking.TASK,
                    new StatedClient("k", "{}", null),
                    "x",
                    "tools.call",
                    null,
                    null,
                    false,
                    null),
                "op=task " + FROM + "client=k capabilities={} server=x suffix=tools.call"),
            Arguments.of(
                new CallMessage(
                    NONE, Parking.RETRY, null, "x", "tools.call", null, "st", false, null),
                "op=retry " + FROM + "server=x suffix=tools.call state=st"),
            Arguments.of(
                new AboutTaskMessage("p", "v", "tasks.get", "st"),
                "op=about-task principal=p view=v suffix=tasks.get state=st"),
            Arguments.of(
                new ListMessage(VIEW, CLIENT, ListKind.TOOLS),
                "op=list " + FROM + "view=v suffix=TOOLS " + STATED),
            Arguments.of(new ListenMessage(VIEW, CLIENT), "op=listen " + FROM + "view=v " + STATED))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("messages")
  void each_has_these_headers_and_is_read_from_them(HostMessage message, String headers) {
    assertThat(words(message.options().getHeaders()))
        .containsExactlyInAnyOrder(headers.trim().split(" "));
    assertThat(HostMessage.of(received(message.options()))).isEqualTo(message);
  }

  @Test
  void so_have_those_to_http_verticles() {
    DoorEvent event = new DoorEvent("e", "e_1", true);
    assertThat(words(event.options().getHeaders()))
        .containsExactlyInAnyOrder("exchange=e", "event=e_1", "end=true");
    assertThat(DoorEvent.of(received(event.options()))).isEqualTo(event);
    assertThat(words(new DoorEvent("e", null, false).options().getHeaders()))
        .containsExactly("exchange=e");
    SsePostMessage post = new SsePostMessage("s", "p", "v");
    assertThat(words(post.options().getHeaders()))
        .containsExactlyInAnyOrder("session=s", "principal=p", "view=v");
    assertThat(SsePostMessage.of(received(post.options()))).isEqualTo(post);
  }

  @Test
  void an_unknown_one_is_refused_with_its_name() {
    assertThatThrownBy(
            () -> HostMessage.of(received(new DeliveryOptions().addHeader("op", "dance"))))
        .isInstanceOf(McpFailure.class)
        .hasMessage("unknown dance");
  }

  private static List<String> words(MultiMap headers) {
    List<String> words = new ArrayList<>();
    headers.forEach(header -> words.add(header.getKey() + "=" + header.getValue()));
    return words;
  }

  private static MessageImpl<Buffer, Buffer> received(DeliveryOptions options) {
    return new MessageImpl<>("to", options.getHeaders(), Buffer.buffer(), null, true, null);
  }

  /** With one name for both, a connection asked the wrong address whether the client waits. */
  @Test
  void the_origin_of_a_call_and_the_verticle_of_its_response_are_two_headers() {
    CallOrigin origin = CallOrigin.at("n1", 5_000_000, "mcp.gateway.doors.d", "7");
    MultiMap headers = origin.addTo(new PostMessage(NONE, "s", "").options()).getHeaders();

    assertThat(headers.getAll("door")).isEqualTo(List.of("d"));
    assertThat(headers.getAll(Headers.DOOR)).isEqualTo(List.of("mcp.gateway.doors.d 7"));
    assertThat(CallOrigin.of(headers)).isEqualTo(origin);
    assertThat(headers.names()).hasSize(8);
  }
}
