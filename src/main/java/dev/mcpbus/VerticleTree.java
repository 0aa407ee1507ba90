package dev.mcpbus;

import dev.mcpbus.ai.FunctionsVerticle;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bus.Codecs;
import dev.mcpbus.bus.InstanceId;
import dev.mcpbus.bus.McpBusVersion;
import dev.mcpbus.bus.Readiness;
import dev.mcpbus.bus.SealedTaskIds;
import dev.mcpbus.config.ConfigDiff;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.connection.options.PinStore;
import dev.mcpbus.demo.DemoServer;
import dev.mcpbus.directory.Directory;
import dev.mcpbus.directory.DirectoryVerticle;
import dev.mcpbus.directory.aggregate.AggregateService;
import dev.mcpbus.hosting.ConfigurationState;
import dev.mcpbus.hosting.ConnectionFactory;
import dev.mcpbus.hosting.FilePinStore;
import dev.mcpbus.hosting.KeptServers;
import dev.mcpbus.hosting.LocalServerHosting;
import dev.mcpbus.hosting.ServerHosting;
import dev.mcpbus.hosting.ServersVerticle;
import dev.mcpbus.hosting.StateFile;
import dev.mcpbus.hosting.credentials.CallerCredentials;
import dev.mcpbus.input.InputOptions;
import dev.mcpbus.input.InputVerticle;
import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.internals.OptionalLibrary;
import dev.mcpbus.internals.UsedInternals;
import dev.mcpbus.protocol.Implementation;
import dev.mcpbus.security.AccessControl;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.supervisor.SupervisorVerticle;
import dev.mcpbus.transport.BusOptions;
import dev.mcpbus.transport.stdio.ChildThreads;
import io.vertx.core.Closeable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The verticles of one {@link McpBus}: deploys them in order, and closes them in the order that
 * {@link McpBus#close} describes. It deploys on a context of its own, so that none of them is the
 * child of a caller's verticle, which Vert.x would undeploy in another order. Any thread may call.
 */
final class VerticleTree {

  /** They end within milliseconds, unless the kernel keeps a child after SIGKILL. */
  private static final int THREADS_SECONDS = 2;

  private final Vertx vertx;
  private final BusClaim claim;
  private final InternalContext context;
  private final Closeable hook = done -> close().onComplete(done);
  private final Deployments foundation;
  private final Deployments connections;
  private final Deployments doors;
  private final SupervisorVerticle supervisor;
  private final KeptServers kept;
  private final ServersVerticle servers;
  private final AccessControl access;
  private final Directory directory;
  private final @Nullable HttpDoors http;
  private final @Nullable TelemetryParts telemetry;
  private final Readiness readiness = new Readiness();
  private Future<Void> opened = Future.succeededFuture();
  private final Promise<Void> closed = Promise.promise();
  private volatile boolean closing;
  private volatile long auditTimer = -1;

  /**
   * Throws where a library is missing that an option needs.
   *
   * @param claim given back when everything is closed
   * @param telemetry null where nothing is measured
   */
  private VerticleTree(
      Vertx vertx, BusClaim claim, BusSettings options, @Nullable TelemetryParts telemetry) {
    requireLibraries(options);
    this.vertx = vertx;
    this.claim = claim;
    this.telemetry = telemetry;
    this.context = InternalContext.create(vertx);
    this.foundation = new Deployments(vertx);
    this.connections = new Deployments(vertx);
    this.doors = new Deployments(vertx);
    this.supervisor = new SupervisorVerticle(options.supervisor());
    Implementation own = new Implementation("mcpbus", McpBusVersion.current());
    Path state = options.stateDir();
    PinStore pins =
        options.pins() != null
            ? options.pins()
            : FilePinStore.ofState(vertx, state, System.getenv());
    this.kept =
        new KeptServers(
            vertx,
            state == null ? null : StateFile.in(state, System.getenv()),
            InstantSource.system());
    this.servers =
        new ServersVerticle(
            supervisor,
            new ConnectionFactory(
                vertx,
                own,
                options.authenticators().apply(vertx),
                pins,
                FilePinStore.eras(vertx, options.stateDir())),
            options.reader(),
            hosting(options),
            kept,
            options.registry(),
            readiness);
    this.access =
        new AccessControl(
            options.auth(),
            InstantSource.system(),
            System::nanoTime,
            new SecureRandom(),
            readiness::nodes);
    this.directory =
        new Directory(
            options.gateway().views(),
            access,
            SealedTaskIds.of(vertx),
            options.gateway().passUnknown(),
            options.gateway().handshakeWait());
    BridgeOptions bridge = options.bridge();
    this.http =
        bridge == null
            ? null
            : new HttpDoors(vertx, options, bridge, own, directory, access, readiness);
  }

  private static void requireLibraries(BusSettings options) {
    if (options.bridge() != null) {
      OptionalLibrary.VERTX_WEB.require();
    }
    if (options.search()) {
      OptionalLibrary.LUCENE.require();
    }
  }

  private DirectoryVerticle directory(BusSettings options) {
    return new DirectoryVerticle(
        directory, List.of(new AggregateService(options.names(), options.search())));
  }

  private InputVerticle inputs(InputOptions options) {
    return vertx.isClustered() ? ClusterParts.inputs(vertx, options) : new InputVerticle(options);
  }

  private ServerHosting.HostingFactory hosting(BusSettings options) {
    return vertx.isClustered()
        ? ClusterParts.hosting(options, kept)
        : (alone, connections) ->
            new LocalServerHosting(alone, connections, options.reader(), kept);
  }

  /**
   * Starts a tree that ends with Vert.x, or with the verticle of the caller. Completes on the
   * caller's context.
   */
  static Future<VerticleTree> start(Vertx vertx, BusSettings options) {
    BusClaim claim;
    try {
      UsedInternals.check(vertx.isClustered());
      String missing = vertx.isClustered() ? ClusterParts.missing(vertx) : null;
      if (missing != null) {
        throw new IllegalStateException(missing);
      }
      claim = BusClaim.take(vertx);
    } catch (IllegalStateException refused) {
      return Future.failedFuture(refused);
    }
    ChildThreads.retain();
    VerticleTree tree;
    try {
      Codecs.register(vertx);
      TelemetryParts telemetry = TelemetryParts.install(vertx, options);
      tree = new VerticleTree(vertx, claim, options, telemetry);
    } catch (RuntimeException | Error failed) {
      claim.release();
      ChildThreads.release();
      return Future.failedFuture(failed);
    }
    InternalContext caller = InternalContext.current(vertx);
    Closeable end = done -> tree.close().onComplete(done);
    caller.addCloseHook(end);
    tree.closed.future().onComplete(ended -> caller.removeCloseHook(end));
    Promise<VerticleTree> started = caller.promise();
    tree.open(options).map(tree).onComplete(started);
    return started.future();
  }

  /** Deploys everything; where that fails, or {@link #close} comes first, closes it again. */
  private Future<Void> open(BusSettings options) {
    context.addCloseHook(hook);
    Promise<Void> deployed = context.promise();
    synchronized (this) {
      opened = deployed.future();
    }
    context.run(() -> deploy(options).onComplete(deployed));
    return deployed
        .future()
        .compose(open -> closing ? Future.failedFuture(closedInStart()) : Future.succeededFuture())
        .recover(failure -> close().transform(ended -> Future.failedFuture(failure)))
        .mapEmpty();
  }

  private static IllegalStateException closedInStart() {
    return new IllegalStateException("mcpbus was closed while it was starting");
  }

  private Future<Void> deploy(BusSettings options) {
    Future<Void> demo =
        usesDemo(options.servers())
            ? foundation.add(DemoServer.deployable(DemoServer.ADDRESS))
            : Future.succeededFuture();
    return demo.compose(next -> InstanceId.open(vertx))
        .onSuccess(next -> measure())
        .compose(next -> foundation.add(directory(options)))
        .compose(next -> foundation.add(new FunctionsVerticle()))
        .compose(next -> foundation.add(inputs(options.input())))
        .compose(next -> openDoors())
        .compose(next -> connections.add(supervisor))
        .compose(next -> connections.add(servers))
        .compose(next -> closing ? Future.failedFuture(closedInStart()) : Future.succeededFuture())
        .onSuccess(
            next ->
                servers.configured(
                    ConfigurationState.loaded(null, Instant.now(), options.problems())))
        .compose(next -> servers.begin(options.servers()))
        .compose(next -> directory.refresh(vertx))
        .onSuccess(
            open -> {
              readiness.started();
              startAuditing();
            });
  }

  /**
   * Opens the doors before any connection is claimed: a node whose port is in use ends without
   * having owned one. Until the start is complete they refuse requests, as not sent.
   */
  private Future<Void> openDoors() {
    readiness.starting();
    return http == null
        ? Future.succeededFuture()
        : http.prepare().compose(ready -> doors.add(http.verticles()));
  }

  private void measure() {
    if (telemetry != null) {
      telemetry.open(
          readiness,
          () -> http == null ? 0 : http.sockets(),
          servers::configuration,
          kept,
          access.audit());
    }
  }

  /** Writes the counts of the audit log every second. */
  private void startAuditing() {
    if (access.audit().isOn()) {
      access.audit().open();
      auditTimer = vertx.setPeriodic(1_000, now -> access.audit().flush());
    }
  }

  private static boolean usesDemo(List<ServerDefinition> servers) {
    BusOptions demo = new BusOptions(DemoServer.ADDRESS);
    return servers.stream().anyMatch(server -> server.transport().equals(demo));
  }

  ServersVerticle servers() {
    return servers;
  }

  Future<Void> apply(ConfigDiff diff) {
    AuthOptions auth = diff.auth();
    Set<String> gone = auth == null ? Set.of() : access.reload(auth);
    CallerCredentials.of(vertx, System.getenv()).forget(gone);
    return servers.apply(diff);
  }

  int port() {
    return http == null ? -1 : http.port();
  }

  @Nullable String adminToken() {
    return access.adminToken();
  }

  /** Says at the doors that this node ends soon. */
  void leave() {
    readiness.leave();
  }

  /** Closes everything once; later calls get the same result. Waits for a start to end. */
  Future<Void> close() {
    Future<Void> start;
    synchronized (this) {
      if (closing) {
        return closed.future();
      }
      closing = true;
      start = opened;
    }
    start
        .transform(open -> closeAll())
        .onComplete(ended -> context.removeCloseHook(hook))
        .onComplete(ended -> claim.release())
        .onComplete(closed);
    return closed.future();
  }

  boolean isClosing() {
    return closing;
  }

  /** Completes when everything is closed. */
  Future<Void> closed() {
    return closed.future();
  }

  /** After the doors, whose last calls have lines, too. */
  private Future<Void> closeAudit() {
    vertx.cancelTimer(auditTimer);
    return vertx.executeBlocking(
        () -> {
          access.audit().close();
          return null;
        });
  }

  private Future<Void> closeAll() {
    return Future.join(doors.closeTogether(), connections.closeInReverse())
        .transform(ended -> foundation.closeInReverse())
        .transform(ended -> closeAudit())
        .transform(ended -> telemetry == null ? Future.succeededFuture() : telemetry.close())
        .transform(ended -> endThreads());
  }

  /** The last bus of this JVM ends the threads of child processes. */
  private Future<Void> endThreads() {
    return Future.<Void>fromCompletionStage(ChildThreads.release(), context.context())
        .timeout(THREADS_SECONDS, TimeUnit.SECONDS)
        .otherwiseEmpty();
  }
}
