package dev.mcpbus.gateway;

import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.FairLimits;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.gateway.client.ParkedCallBounds;
import dev.mcpbus.gateway.client.SessionHost;
import dev.mcpbus.gateway.http.GatewayEndpoint;
import dev.mcpbus.gateway.http.HttpReply;
import dev.mcpbus.gateway.http.NamedRequests;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.gateway.request.PublishedSession;
import dev.mcpbus.gateway.request.SessionHostNames;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.security.MountedHandler;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The gateway of one node: the actors that keep its state, and the endpoints through which HTTP
 * verticles reach them. Any thread may call.
 */
public final class Gateway {

  private final Vertx vertx;
  private final GatewayOptions options;
  private final Implementation serverInfo;
  private final Directory directory;
  private final FairLimit<HttpReply> streams;
  private final SessionHostNames hostNames;
  private final NamedRequests named = new NamedRequests();

  /** The sessions that hosts of this node have, by their ids. */
  private final ConcurrentMap<String, PublishedSession> sessions = new ConcurrentHashMap<>();

  /**
   * @param serverInfo the name and version that clients receive
   * @param hostCount how many session hosts share the sessions
   * @param directory what all servers offer, and what each client sees of it
   */
  public Gateway(
      Vertx vertx,
      GatewayOptions options,
      Implementation serverInfo,
      int hostCount,
      Directory directory) {
    this.vertx = vertx;
    this.options = options;
    this.serverInfo = serverInfo;
    this.directory = directory;
    this.hostNames = new SessionHostNames(vertx, hostCount);
    this.streams = new FairLimit<>(options.maxStreams());
  }

  /**
   * The actors to deploy in this order before the HTTP servers, and to end at the same time as
   * these: answers of sessions leave by the HTTP servers, and those wait for the streams of
   * sessions, which the session hosts end.
   */
  public List<Deployable> actors() {
    List<Deployable> actors = new ArrayList<>();
    actors.add(new StreamCount());
    ParkedCallBounds parkedBounds = new ParkedCallBounds(options.maxSessions());
    for (String host : hostNames.own()) {
      actors.add(
          new SessionHost(host, directory, options, serverInfo, hostNames, parkedBounds, sessions));
    }
    return actors;
  }

  /** A new endpoint for one HTTP verticle. */
  public MountedHandler endpoint() {
    return new GatewayEndpoint(
        vertx, directory, options, serverInfo, hostNames, streams, named, sessions);
  }

  /** Shows in the status of this node how many streams of clients are open. */
  private final class StreamCount extends VerticleBase {

    private static final String NAME = "gateway.streams";

    @Override
    public Future<?> start() {
      FairLimits.of(vertx).add(NAME, streams);
      return Future.succeededFuture();
    }

    @Override
    public Future<?> stop() {
      FairLimits.of(vertx).remove(NAME, streams);
      return Future.succeededFuture();
    }
  }
}
