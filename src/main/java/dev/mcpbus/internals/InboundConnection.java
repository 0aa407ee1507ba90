package dev.mcpbus.internals;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.impl.HttpServerConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One TCP connection of a client: whose turn it is, the client's or ours. It lies at its channel
 * and ends with it, whatever becomes of the HTTP on it: an upgrade takes the handlers of the HTTP
 * connection away, but not the end of the channel. Confined to the channel's event loop, but for
 * what says otherwise.
 */
public final class InboundConnection {

  private static final AttributeKey<InboundConnection> KEY =
      AttributeKey.valueOf(InboundConnection.class, "connection");

  /**
   * Of a client that has begun something: how long he may keep us waiting before others go first.
   */
  private static final long MIDWAY_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final long NEVER = Long.MAX_VALUE;

  private final Channel channel;
  private final String address;

  /** When its client has kept us waiting too long; never while the client waits for us. */
  private long due = NEVER;

  /** From when on it may end for the sake of another. Written here, read by any thread. */
  private volatile long spareFrom = NEVER;

  /** Written by the {@code ConnectionLimits}, under their lock. */
  private volatile boolean surplus;

  /** Requests whose responses have not ended, with what runs then. */
  private final Map<HttpServerRequest, Runnable> open = new HashMap<>(2);

  /** Responses of HTTP/2 that its client has not yet taken whole, with when they end. */
  private final Map<HttpServerRequest, Long> untaken = new HashMap<>(2);

  private boolean ending;

  /** Ends it where HTTP does not begin. */
  private @Nullable ScheduledFuture<?> silence;

  InboundConnection(Channel channel) {
    this(channel, key(channel));
  }

  /**
   * @param address whom it is counted for
   */
  public InboundConnection(Channel channel, String address) {
    this.channel = channel;
    this.address = address;
    channel.attr(KEY).set(this);
  }

  /** A new one, for a connection of which nothing was heard when it was accepted. */
  public static InboundConnection begun(HttpConnection http) {
    return new InboundConnection(channel(http));
  }

  /** The one that was made for {@code http}, also after an upgrade; null for none. */
  public static @Nullable InboundConnection of(HttpConnection http) {
    return channel(http).attr(KEY).get();
  }

  private static Channel channel(HttpConnection http) {
    return ((HttpServerConnection) http).channelHandlerContext().channel();
  }

  /**
   * Whom connections are counted for: an IPv4 address, the 64 bits of an IPv6 network, which one
   * client has whole; and all loopback addresses are one.
   */
  private static String key(Channel channel) {
    InetAddress address =
        channel.remoteAddress() instanceof InetSocketAddress inet ? inet.getAddress() : null;
    if (address == null || address.isLoopbackAddress()) {
      return "";
    }
    byte[] bytes = address.getAddress();
    return HexFormat.of().formatHex(bytes.length == 16 ? Arrays.copyOf(bytes, 8) : bytes);
  }

  Channel channel() {
    return channel;
  }

  /** {@code task} runs on its event loop when it has ended. */
  public void onEnd(Runnable task) {
    channel.closeFuture().addListener(closed -> task.run());
  }

  /** Later, on its event loop; any thread may call. */
  public void execute(Runnable task) {
    channel.eventLoop().execute(task);
  }

  /** Any thread may ask. */
  public boolean isOpen() {
    return channel.isOpen();
  }

  /** Any thread. */
  public String address() {
    return address;
  }

  public boolean isSurplus() {
    return surplus;
  }

  public void surplus(boolean is) {
    surplus = is;
  }

  // ---- whose turn it is

  /**
   * Its client's, from before the TLS handshake on.
   *
   * @param limit for HTTP to begin; then it ends
   */
  public void awaitHttp(long now, Duration limit) {
    waits(now, limit.toNanos(), false);
    ScheduledFuture<?> timer =
        channel
            .eventLoop()
            .schedule(() -> ForcedClose.on(this), limit.toNanos(), TimeUnit.NANOSECONDS);
    silence = timer;
    channel.closeFuture().addListener(closed -> timer.cancel(false));
  }

  /** From here on the {@code ReceiveDeadline} watches it. */
  public void speaksHttp() {
    ScheduledFuture<?> timer = silence;
    if (timer != null) {
      timer.cancel(false);
      silence = null;
    }
  }

  /**
   * Its client's: a request is wanted, or the rest of one.
   *
   * @param midway whether the client has begun a request, or has still to take an answer
   */
  public void waits(long now, long limit, boolean midway) {
    due = now + limit;
    spareFrom = midway ? now + MIDWAY_NANOS : now;
  }

  /** Ours: there is a request at work, or a stream or a socket open. */
  public void works() {
    due = NEVER;
    spareFrom = NEVER;
  }

  public boolean isLate(long now) {
    return due != NEVER && now - due >= 0;
  }

  /** How long nobody has used it, in nanoseconds; negative where somebody does. Any thread. */
  public long spareFor(long now) {
    long from = spareFrom;
    return from == NEVER ? -1 : now - from;
  }

  /** Whether it may end for another; an answer that its client has still to take gets some time. */
  public boolean isSpare(long now) {
    if (spareFor(now) < 0) {
      return false;
    }
    ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
    if (waiting != null && waiting.totalPendingWriteBytes() > 0 && spareFor(now) < MIDWAY_NANOS) {
      spareFrom = now + MIDWAY_NANOS;
      return false;
    }
    return true;
  }

  // ---- requests on it

  /**
   * @param over runs once: when the response has ended, or can reach nobody
   */
  public void begin(HttpServerRequest request, Runnable over) {
    open.put(request, over);
    works();
  }

  /** False where it has ended before. */
  public boolean end(HttpServerRequest request) {
    Runnable over = open.remove(request);
    if (over != null) {
      over.run();
    }
    return over != null;
  }

  /** A response says that it is the last: what the client sends behind it is not served. */
  public void ending() {
    ending = true;
  }

  public boolean isEnding() {
    return ending || !channel.isOpen();
  }

  /**
   * A response has been written. A client of HTTP/2 that opens no window for it keeps it with us,
   * whatever else goes on on its connection.
   *
   * @param until when it has to have it whole
   */
  public void untaken(HttpServerRequest request, long until) {
    untaken.put(request, until);
  }

  /** Resets the streams of those who have had their time; forgets those that have ended. */
  public void resetUntaken(long now) {
    untaken.keySet().removeIf(request -> request.response().closed());
    untaken.entrySet().stream()
        .filter(each -> now - each.getValue() >= 0)
        .map(Map.Entry::getKey)
        .toList()
        .forEach(request -> request.response().reset());
  }

  public boolean isIdle() {
    return open.isEmpty();
  }

  /** It has become a WebSocket, which is in use and no request in flight. */
  public void upgraded() {
    Map.copyOf(open).keySet().forEach(this::end);
    works();
  }

  /** The channel has ended, and nobody is reached any more. */
  public void closed() {
    upgraded();
  }
}
