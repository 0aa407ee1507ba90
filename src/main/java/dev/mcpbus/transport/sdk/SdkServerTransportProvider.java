package dev.mcpbus.transport.sdk;

import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.transport.Acceptor;
import dev.mcpbus.transport.Channel;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.spec.McpServerSession;
import io.modelcontextprotocol.spec.McpServerTransportProvider;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Serves a server of the SDK over our in-process transports, one SDK session per connection:
 *
 * <pre>{@code
 * var provider = new SdkServerTransportProvider();
 * McpAsyncServer server = McpServer.async(provider).tools(tools).build();
 * BusServer.listen(vertx, "my.server", provider);      // on the bus
 * new InMemoryTransport("my-server", context, provider);      // in memory
 * }</pre>
 *
 * <p>Handlers run on Reactor's {@code boundedElastic} threads; a blocking handler delays its own
 * session only. Building the server loads classes and schemas: do it on a worker thread.
 */
@PublicApi
public final class SdkServerTransportProvider implements McpServerTransportProvider, Acceptor {

  private final McpJsonMapper mapper;

  /** Concurrent because the SDK notifies clients from its own threads. */
  private final Map<String, McpServerSession> sessions = new ConcurrentHashMap<>();

  private volatile McpServerSession.@Nullable Factory factory;

  /** A provider with the SDK's default JSON mapper. */
  public SdkServerTransportProvider() {
    this(McpJsonDefaults.getMapper());
  }

  public SdkServerTransportProvider(McpJsonMapper mapper) {
    this.mapper = mapper;
  }

  @Override
  public Channel.Receiver accept(Channel channel) {
    McpServerSession.Factory sessionFactory = factory;
    Context owner = Vertx.currentContext();
    if (sessionFactory == null || owner == null) {
      throw new IllegalStateException(
          "build the McpServer with this provider first, then accept on a Vert.x context");
    }
    SdkSession transport = new SdkSession(owner, channel, mapper);
    McpServerSession session = sessionFactory.create(transport);
    sessions.put(session.getId(), session);
    transport.start(session, () -> sessions.remove(session.getId()));
    return transport;
  }

  @Override
  public void setSessionFactory(McpServerSession.Factory sessionFactory) {
    factory = sessionFactory;
  }

  @Override
  public List<String> protocolVersions() {
    return ProtocolVersion.supported();
  }

  /** Notifies all clients. A session that cannot be notified is skipped; it is about to end. */
  @Override
  public Mono<Void> notifyClients(String method, Object params) {
    return Flux.fromIterable(sessions.values())
        .flatMap(session -> session.sendNotification(method, params).onErrorComplete())
        .then();
  }

  @Override
  public Mono<Void> notifyClient(String sessionId, String method, Object params) {
    return Mono.defer(
        () -> {
          McpServerSession session = sessions.get(sessionId);
          return session == null
              ? Mono.error(new IllegalStateException("no session " + sessionId))
              : session.sendNotification(method, params);
        });
  }

  @Override
  public Mono<Void> closeGracefully() {
    return Flux.fromIterable(sessions.values())
        .flatMap(session -> session.closeGracefully().onErrorComplete())
        .then();
  }

  /** How many sessions are open. */
  public int sessions() {
    return sessions.size();
  }
}
