package dev.mcpbus.cluster.engine;

import dev.mcpbus.internals.InternalContext;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ThreadPerTaskExecutor;
import io.vertx.core.Vertx;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.net.TcpConfig;
import io.vertx.core.shareddata.Shareable;
import io.vertx.core.spi.transport.Transport;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Two event loops of a clustered Vert.x that no verticle and no connection gets. One carries the
 * event bus between the nodes; the other carries the ownership of connections: announcements, the
 * claim lease, readings of claims. So neither waits for the work of connections, of which a start
 * brings thousands at once.
 *
 * <p>A transport of Vert.x whose group of event loops leaves the reserved ones out of its turn. Any
 * thread may call.
 */
@SuppressWarnings("deprecation") // the interface of Vert.x names a class that Netty has deprecated
public final class ReservedEventLoops implements Transport, Shareable {

  private static final String KEY = "dev.mcpbus.loops";

  /** The loop of the event bus, and that of ownership. */
  private static final int RESERVED = 2;

  /**
   * Threads for readings of nodes and claims. A reading hangs while a lost node holds a part of the
   * map, and the next one is sent beside it.
   */
  private static final int READERS = 12;

  private final Transport transport;
  private final AtomicInteger turn = new AtomicInteger();

  /** The event loops that are not reserved. */
  private volatile EventExecutor[] common = {};

  private @Nullable InternalContext ownership;
  private @Nullable InternalContext bus;

  ReservedEventLoops(Transport transport) {
    this.transport = transport;
  }

  @Override
  public EventLoopGroup eventLoopGroup(int type, int threads, ThreadFactory factory, int ioRatio) {
    if (type != IO_EVENT_LOOP_GROUP) {
      return transport.eventLoopGroup(type, threads, factory, ioRatio);
    }
    return new MultiThreadIoEventLoopGroup(
        threads + RESERVED,
        new ThreadPerTaskExecutor(factory),
        all -> {
          common = all.clone();
          return this::next;
        },
        transport.ioHandlerFactory());
  }

  private EventExecutor next() {
    EventExecutor[] now = common;
    return now[Math.floorMod(turn.getAndIncrement(), now.length)];
  }

  private synchronized void reserve(EventLoop loop) {
    List<EventExecutor> rest = new ArrayList<>(Arrays.asList(common));
    if (rest.size() > 1 && rest.remove(loop)) {
      common = rest.toArray(EventExecutor[]::new);
    }
  }

  /** Reserves the loop of the calling context, which is that of the event bus, and another one. */
  synchronized void open(Vertx vertx) {
    if (ownership != null) {
      return;
    }
    VertxInternal internal = (VertxInternal) vertx;
    EventLoop calling = internal.getOrCreateContext().nettyEventLoop();
    reserve(calling);
    bus = InternalContext.of(internal.contextBuilder().withEventLoop(calling).build());
    EventLoop own = internal.nettyEventLoopGroup().next();
    reserve(own);
    ownership =
        InternalContext.of(
            internal
                .contextBuilder()
                .withEventLoop(own)
                .withWorkerPool(
                    internal.createSharedWorkerPool("mcpbus-claims", READERS, 60, TimeUnit.SECONDS))
                .build());
    internal.sharedData().<String, ReservedEventLoops>getLocalMap(KEY).put(KEY, this);
  }

  /**
   * The context of ownership; a new event-loop context where another program started the cluster of
   * this Vert.x.
   */
  public static InternalContext ownership(Vertx vertx) {
    ReservedEventLoops loops =
        vertx.sharedData().<String, ReservedEventLoops>getLocalMap(KEY).get(KEY);
    InternalContext own = loops == null ? null : loops.ownershipContext();
    return own == null ? InternalContext.create(vertx) : own;
  }

  private synchronized @Nullable InternalContext ownershipContext() {
    return ownership;
  }

  /** Runs a task on the loop of the event bus; on the calling thread before the bus has one. */
  void onBus(Runnable task) {
    InternalContext on;
    synchronized (this) {
      on = bus;
    }
    if (on == null) {
      task.run();
    } else {
      on.run(task);
    }
  }

  @Override
  public boolean supportsDomainSockets() {
    return transport.supportsDomainSockets();
  }

  @Override
  public boolean supportFileRegion() {
    return transport.supportFileRegion();
  }

  @Override
  public boolean isAvailable() {
    return transport.isAvailable();
  }

  @Override
  public @Nullable Throwable unavailabilityCause() {
    return transport.unavailabilityCause();
  }

  @Override
  public SocketAddress convert(io.vertx.core.net.SocketAddress address) {
    return transport.convert(address);
  }

  @Override
  public io.vertx.core.net.@Nullable SocketAddress convert(SocketAddress address) {
    return transport.convert(address);
  }

  @Override
  public IoHandlerFactory ioHandlerFactory() {
    return transport.ioHandlerFactory();
  }

  @Override
  public ChannelFactory<? extends DatagramChannel> datagramChannelFactory() {
    return transport.datagramChannelFactory();
  }

  @Override
  public DatagramChannel datagramChannel(InternetProtocolFamily family) {
    return transport.datagramChannel(family);
  }

  @Override
  public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
    return transport.channelFactory(domainSocket);
  }

  @Override
  public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
    return transport.serverChannelFactory(domainSocket);
  }

  @Override
  public void configure(DatagramChannel channel, DatagramSocketOptions options) {
    transport.configure(channel, options);
  }

  @Override
  public void configure(TcpConfig config, boolean domainSocket, Bootstrap bootstrap) {
    transport.configure(config, domainSocket, bootstrap);
  }

  @Override
  public void configure(TcpConfig config, boolean domainSocket, ServerBootstrap bootstrap) {
    transport.configure(config, domainSocket, bootstrap);
  }
}
