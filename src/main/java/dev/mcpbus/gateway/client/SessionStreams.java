package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.Headers;
import dev.mcpbus.gateway.request.HostMessage;
import dev.mcpbus.gateway.request.HostMessage.StreamMessage;
import dev.mcpbus.gateway.request.RandomNames;
import dev.mcpbus.internals.ByteBudget;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one session: the standalone stream, and one for each request. Confined to the
 * session's host.
 */
final class SessionStreams {

  /** Ended responses whose events a client can still read. */
  private static final int MAX_ENDED = 32;

  private static final String STANDING = "standing";

  private final EventBus bus;
  private final ByteBudget.ByteAccount kept;
  private ResumableStream standing;
  private boolean resumed;
  private final Map<String, ResumableStream> requests = new LinkedHashMap<>();

  /**
   * @param kept an account of the session's owner, who pays for the events that wait here
   */
  SessionStreams(EventBus bus, ByteBudget.ByteAccount kept) {
    this.bus = bus;
    this.kept = kept;
    this.standing = new ResumableStream(bus, STANDING, kept.another());
  }

  ResumableStream standing() {
    return standing;
  }

  /** A node has left the cluster: its HTTP verticles read nothing any more. */
  void left(String node) {
    if (standing.isReadOn(node)) {
      standing.detach();
    }
    requests.values().stream().filter(one -> one.isReadOn(node)).forEach(ResumableStream::detach);
  }

  /** The earlier events are lost with another node, and their ids mean nothing here. */
  void resume() {
    resumed = true;
    standing.forget();
    standing = new ResumableStream(bus, STANDING + "-" + RandomNames.create(4), kept.another());
  }

  /** Whether a client asks for the rest of a response that is lost. */
  boolean isLost(@Nullable String last) {
    int cut = last == null ? -1 : last.lastIndexOf('_');
    return resumed
        && last != null
        && cut > 0
        && !last.startsWith(STANDING)
        && !requests.containsKey(last.substring(0, cut));
  }

  /** Begins the response to a request; the exchange is its name. */
  ResumableStream begin(String exchange, String address) {
    ResumableStream stream = new ResumableStream(bus, exchange, kept.another());
    stream.attach(address, exchange);
    requests.put(exchange, stream);
    return stream;
  }

  /** The client knows event ids of that response. */
  void keep(String exchange) {
    ResumableStream stream = requests.get(exchange);
    if (stream != null) {
      stream.keep();
    }
  }

  /** The client has closed that response. */
  void gone(String exchange) {
    if (standing.isReadBy(exchange)) {
      standing.detach();
    }
    requests.values().stream()
        .filter(one -> one.isReadBy(exchange))
        .forEach(ResumableStream::detach);
  }

  /**
   * The client reads the rest of a response after its {@code Last-Event-ID}, or the standalone
   * stream.
   *
   * @param ready runs before the first event is sent
   */
  ResumableStream open(StreamMessage wanted, Runnable ready) {
    String last = wanted.after();
    int cut = last == null ? -1 : last.lastIndexOf('_');
    ResumableStream stream =
        last == null || cut < 0
            ? standing
            : requests.getOrDefault(last.substring(0, cut), standing);
    stream.cutOff();
    ready.run();
    stream.attach(wanted.from().verticle(), wanted.from().exchange());
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

  /**
   * The answer to a request: the reply for the response that the client still reads, else an event
   * for a client that comes back.
   *
   * @param message whose reply the response waits for
   * @param exchange the name of that response
   * @param answer null if there is none
   */
  void finish(
      ResumableStream stream,
      Message<?> message,
      String exchange,
      @Nullable Buffer answer,
      int repeats) {
    if (stream.isReadBy(exchange)) {
      String eventId = answer == null ? null : stream.finishBy(answer);
      DeliveryOptions delivery = HostMessage.answered(eventId);
      if (repeats > 0) {
        delivery.addHeader(Headers.REPEATED, Integer.toString(repeats));
      }
      message.reply(answer == null ? Buffer.buffer() : answer, delivery);
    } else {
      message.reply(Buffer.buffer());
      if (answer == null) {
        stream.end();
      } else if (stream.isKept()) {
        stream.finish(answer);
      }
    }
    if (!stream.isKept()) {
      forget(stream);
    }
    forgetOld();
  }

  private void forgetOld() {
    List<ResumableStream> ended =
        requests.values().stream().filter(ResumableStream::isEnded).toList();
    for (int i = 0; i < ended.size() - MAX_ENDED; i++) {
      forget(ended.get(i));
    }
  }

  private void forget(ResumableStream stream) {
    requests.remove(stream.id());
    stream.forget();
  }

  /** The session ends. */
  void close() {
    standing.end();
    standing.forget();
    requests.values().forEach(ResumableStream::end);
    requests.values().forEach(ResumableStream::forget);
    requests.clear();
  }
}
