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
 * One TCP connection of a client, and whether the client or the server has to act next: the server
 * may close a connection whose client is late or idle. It is an attribute of its channel and ends
 * with it, also after an upgrade, which removes the HTTP handlers of the connection. Confined to
 * the channel's event loop, except where a method says otherwise.
 */
public final class InboundConnection {

  private static final AttributeKey<InboundConnection> KEY =
      AttributeKey.valueOf(InboundConnection.class, "connection");

  /**
   * How long a client that has begun a request may keep the server waiting before its connection
   * may be closed for another client.
   */
  private static final long MIDWAY_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final long NEVER = Long.MAX_VALUE;

  private final Channel channel;
  private final String address;

  /** When the client becomes late; {@link #NEVER} while the server has to act. */
  private long due = NEVER;

  /**
   * From when on this connection may be closed for another client. Written on the event loop, read
   * by any thread.
   */
  private volatile long spareFrom = NEVER;

  /** Written by {@code ConnectionLimits}, under its lock. */
  private volatile boolean surplus;

  /** Requests whose responses have not ended, with the task to run when they end. */
  private final Map<HttpServerRequest, Runnable> open = new HashMap<>(2);

  /** HTTP/2 responses that the client has not taken completely, with their deadlines. */
  private final Map<HttpServerRequest, Long> untaken = new HashMap<>(2);

  private boolean ending;

  private long watchedSince;
  private long acceptedAfter;

  /** Closes the connection where HTTP does not begin in time. */
  private @Nullable ScheduledFuture<?> silence;

  InboundConnection(Channel channel) {
    this(channel, key(channel));
  }

  /**
   * @param address the key under which the connection is counted
   */
  public InboundConnection(Channel channel, String address) {
    this.channel = channel;
    this.address = address;
    channel.attr(KEY).set(this);
  }

  /** Makes the object for a connection that was not reported when it was accepted. */
  public static InboundConnection begun(HttpConnection http) {
    return new InboundConnection(channel(http));
  }

  /** The object of {@code http}, also after an upgrade; null for none. */
  public static @Nullable InboundConnection of(HttpConnection http) {
    return channel(http).attr(KEY).get();
  }

  private static Channel channel(HttpConnection http) {
    return ((HttpServerConnection) http).channelHandlerContext().channel();
  }

  /**
   * The key under which connections of one client are counted: its IPv4 address, or the first 64
   * bits of its IPv6 address, because one client has that whole network; all loopback addresses
   * share one key.
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

  /** Runs {@code task} on the event loop when the connection has ended. */
  public void onEnd(Runnable task) {
    channel.closeFuture().addListener(closed -> task.run());
  }

  /** Runs {@code task} later on the event loop; any thread may call. */
  public void execute(Runnable task) {
    channel.eventLoop().execute(task);
  }

  /** Any thread may call. */
  public boolean isOpen() {
    return channel.isOpen();
  }

  /** The key under which the connection is counted. Any thread may call. */
  public String address() {
    return address;
  }

  public boolean isSurplus() {
    return surplus;
  }

  public void surplus(boolean is) {
    surplus = is;
  }

  // ---- since when a request may wait

  /**
   * Its event loop has got the connection.
   *
   * @param now {@link System#nanoTime}
   * @param accepted a time before the one at which the system accepted it
   */
  public void watched(long now, long accepted) {
    watchedSince = now;
    acceptedAfter = accepted;
  }

  public long watchedSince() {
    return watchedSince;
  }

  public long acceptedAfter() {
    return acceptedAfter;
  }

  // ---- who has to act next

  /**
   * The client has to act, from before the TLS handshake on.
   *
   * @param limit the time in which HTTP has to begin; then the connection is closed
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

  /** HTTP has begun: from here on {@code ReceiveDeadline} watches the connection. */
  public void speaksHttp() {
    ScheduledFuture<?> timer = silence;
    if (timer != null) {
      timer.cancel(false);
      silence = null;
    }
  }

  /**
   * The client has to act: the server waits for a request, or for the rest of one.
   *
   * @param limit how long the client has, nanoseconds
   * @param midway whether the client has begun a request, or has still to take an answer
   */
  public void waits(long now, long limit, boolean midway) {
    due = now + limit;
    spareFrom = midway ? now + MIDWAY_NANOS : now;
  }

  /** The server has to act: a request is being processed, or a stream or a socket is open. */
  public void works() {
    due = NEVER;
    spareFrom = NEVER;
  }

  public boolean isLate(long now) {
    return due != NEVER && now - due >= 0;
  }

  /**
   * How long the connection has been idle, nanoseconds; negative while it is in use. Any thread may
   * call.
   */
  public long spareFor(long now) {
    long from = spareFrom;
    return from == NEVER ? -1 : now - from;
  }

  /**
   * Whether the connection may be closed for another client; a client that has still to take an
   * answer gets some time first.
   */
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

  // ---- requests

  /**
   * @param over runs once, when the response has ended or cannot be delivered any more
   */
  public void begin(HttpServerRequest request, Runnable over) {
    open.put(request, over);
    works();
  }

  /** Ends a request. False where it had ended before. */
  public boolean end(HttpServerRequest request) {
    Runnable over = open.remove(request);
    if (over != null) {
      over.run();
    }
    return over != null;
  }

  /** Records that a response announces the end of the connection: later requests are not served. */
  public void ending() {
    ending = true;
  }

  public boolean isEnding() {
    return ending || !channel.isOpen();
  }

  /**
   * Records that a response was written completely. An HTTP/2 client that opens no window for it
   * keeps it in the server's memory, whatever else happens on the connection.
   *
   * @param until the deadline for the client to take it
   */
  public void untaken(HttpServerRequest request, long until) {
    untaken.put(request, until);
  }

  /** Resets the streams whose deadline has passed; forgets those that have ended. */
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

  /** The connection has become a WebSocket: it is in use, and no request is in flight. */
  public void upgraded() {
    Map.copyOf(open).keySet().forEach(this::end);
    works();
  }

  /** The channel has ended: no response can be delivered any more. */
  public void closed() {
    upgraded();
  }
}
