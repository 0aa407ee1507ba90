package dev.mcpbus.gateway;

import dev.mcpbus.bus.Codecs;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The streams of one session: the standing one, and one per request. Confined to its host. */
final class SessionStreams {

  /** Responses that are over and may still be asked for. */
  private static final int MAX_ENDED = 32;

  private static final String STANDING = "standing";

  private final EventBus bus;
  private ResumableStream standing;
  private boolean goesOn;
  private final Map<String, ResumableStream> requests = new LinkedHashMap<>();

  SessionStreams(EventBus bus) {
    this.bus = bus;
    this.standing = new ResumableStream(bus, STANDING);
  }

  ResumableStream standing() {
    return standing;
  }

  /** The HTTP verticles of that node are gone. */
  void left(String node) {
    if (standing.isReadOn(node)) {
      standing.detach();
    }
    requests.values().stream().filter(one -> one.isReadOn(node)).forEach(ResumableStream::detach);
  }

  /** What was said before is another node's, and lost: ids of it mean nothing here. */
  void resume() {
    goesOn = true;
    standing = new ResumableStream(bus, STANDING + "-" + RandomNames.create(4));
  }

  /** True where a client asks for more of a response that was lost. */
  boolean isLost(@Nullable String last) {
    int cut = last == null ? -1 : last.lastIndexOf('_');
    return goesOn
        && last != null
        && cut > 0
        && !last.startsWith(STANDING)
        && !requests.containsKey(last.substring(0, cut));
  }

  /** The response to a request, named by its exchange. */
  ResumableStream begin(String exchange, String door) {
    ResumableStream stream = new ResumableStream(bus, exchange);
    stream.attach(door, exchange);
    requests.put(exchange, stream);
    return stream;
  }

  /** The client knows ids of that response. */
  void keep(String exchange) {
    ResumableStream stream = requests.get(exchange);
    if (stream != null) {
      stream.keep();
    }
  }

  /** Nobody reads that response any more. */
  void gone(String exchange) {
    if (standing.isReadBy(exchange)) {
      standing.detach();
    }
    requests.values().stream()
        .filter(one -> one.isReadBy(exchange))
        .forEach(ResumableStream::detach);
  }

  /**
   * Somebody reads from {@code last} on, or the standing stream.
   *
   * @param last id of the last event that the client has
   * @param ready to be called before the first event is sent
   */
  ResumableStream open(@Nullable String last, String door, String exchange, Runnable ready) {
    int cut = last == null ? -1 : last.lastIndexOf('_');
    ResumableStream stream =
        last == null || cut < 0
            ? standing
            : requests.getOrDefault(last.substring(0, cut), standing);
    stream.cutOff();
    ready.run();
    stream.attach(door, exchange);
    long after = last == null || cut < 0 ? -1 : number(last.substring(cut + 1));
    boolean same = last != null && cut > 0 && last.substring(0, cut).equals(stream.id());
    if (same && after >= 0) {
      stream.resume(after);
    } else {
      stream.resume();
    }
    return stream;
  }

  private static long number(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  /** The answer of a request, to whoever reads its response now. */
  void finish(
      ResumableStream stream, String exchange, Message<?> message, @Nullable Buffer answer) {
    if (stream.isReadBy(exchange)) {
      String eventId = answer == null ? null : stream.finishBy(answer);
      message.reply(answer == null ? Buffer.buffer() : answer, event(eventId));
    } else {
      message.reply(Buffer.buffer());
      if (answer == null) {
        stream.end();
      } else if (stream.isKept()) {
        stream.finish(answer);
      }
    }
    if (!stream.isKept()) {
      requests.remove(stream.id());
    }
    forgetOld();
  }

  private static DeliveryOptions event(@Nullable String eventId) {
    DeliveryOptions delivery = new DeliveryOptions().setCodecName(Codecs.SHARED);
    return eventId == null ? delivery : delivery.addHeader(SessionMessage.EVENT, eventId);
  }

  private void forgetOld() {
    List<ResumableStream> ended =
        requests.values().stream().filter(ResumableStream::isEnded).toList();
    for (int i = 0; i < ended.size() - MAX_ENDED; i++) {
      requests.remove(ended.get(i).id());
    }
  }

  /** The session is over. */
  void close() {
    standing.end();
    requests.values().forEach(ResumableStream::end);
    requests.clear();
  }
}
