package dev.mcpbus.gateway.request;

import dev.mcpbus.bus.CallerFacts;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Rights;
import io.vertx.core.Future;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the HTTP verticles of this node know of a session that a host of this node has, and their
 * calls in flight that go straight to a connection. The host owns the session and says here whether
 * a call may do so; the HTTP verticle owns such a call until it hands the call over. Thread-safe.
 */
public final class PublishedSession {

  /**
   * What a client states once, in {@code initialize}, and a server of the {@code discover} era gets
   * with each request.
   *
   * @param withTasks the capabilities for a server that makes tasks
   */
  public record StatedOnce(RawJson capabilities, RawJson withTasks, RawJson clientInfo) {

    /**
     * The params with that.
     *
     * @param tasks whether the server makes tasks
     * @param level the log level that the client wants; null for none
     */
    public RawJson into(RawJson params, boolean tasks, @Nullable String level) {
      RawJson meta = params.member("_meta");
      RawJson all =
          (meta == null || !meta.isObject() ? RawJson.EMPTY_OBJECT : meta)
              .with(MetaKeys.CLIENT_CAPABILITIES, tasks ? withTasks : capabilities)
              .with(MetaKeys.CLIENT_INFO, clientInfo);
      return params.with(
          "_meta", level == null ? all : all.with(MetaKeys.LOG_LEVEL, RawJson.string(level)));
    }
  }

  /**
   * A session to which no connection belongs, with no open question and no log level.
   *
   * @param host that has it
   * @param view the name of its view
   * @param principalText {@code Principal.text()} of its latest message
   * @param rights of that principal at that message: a caller whose rights are another object goes
   *     by the host, which takes them over
   * @param caller for servers of callers; null where there is none
   * @param version of the protocol
   * @param callIds begins the ids of its straight calls, before a slash; no client can guess it
   */
  public record Facts(
      String host,
      String view,
      String principalText,
      Rights rights,
      @Nullable CallerFacts caller,
      String version,
      StatedOnce stated,
      String callIds) {}

  /** A call in flight at an HTTP verticle. Any thread may call; the verticle's context acts. */
  public interface StraightCall {

    GatewayRequest request();

    /** The client's own. */
    RawJson id();

    /** The connection that it was sent to; null before. */
    @Nullable ConnectionId at();

    /** Whether the client reads the response. */
    boolean isRead();

    /**
     * The client cancels: ends the call at its connection, and without an answer.
     *
     * @param params of the client's notification; null where something else ends the call
     */
    void cancelled(@Nullable RawJson params);

    /**
     * The session needs the call: its verticle sends a {@link HostMessage.TakeMessage}.
     *
     * @return false if the call is over
     */
    Future<Boolean> handOver();

    /** Cancels the call and tells the client that its session has ended. */
    void sessionEnded();
  }

  private final int maxCalls;
  private final Consumer<Boolean> use;
  private final Runnable ended;
  private final Map<String, StraightCall> inFlight = new ConcurrentHashMap<>();
  private volatile @Nullable Facts facts;
  private volatile boolean closed;
  private volatile boolean usedByHost;
  private volatile int callsOfHost;
  private volatile long used = System.nanoTime();

  /**
   * @param maxCalls of the session at a time
   * @param use gets whether the session is in use, at each change; any thread may call it
   * @param ended runs when a call ends that began before the session needed its calls; on any
   *     thread
   */
  public PublishedSession(int maxCalls, Consumer<Boolean> use, Runnable ended) {
    this.maxCalls = maxCalls;
    this.use = use;
    this.ended = ended;
  }

  // ---- for the HTTP verticles

  /** Null where calls go by the host. */
  public @Nullable Facts facts() {
    return closed ? null : facts;
  }

  /**
   * Begins a call, before anything of it is sent.
   *
   * @return false if it has to go by the host, which knows nothing of it then
   */
  public boolean begin(StraightCall call) {
    String callId = call.request().callId();
    synchronized (this) { // several verticles begin calls of one session
      if (inFlight.size() + callsOfHost >= maxCalls) {
        return false;
      }
      inFlight.put(callId, call);
      noteUse();
    }
    if (!closed) { // else the host may not have seen the call
      return true;
    }
    inFlight.remove(callId);
    return false;
  }

  /** The client has left, or the call is over or handed over. */
  public void changed(StraightCall call, boolean isOver) {
    boolean removed = isOver && inFlight.remove(call.request().callId(), call);
    noteUse();
    if (removed && facts == null) {
      ended.run();
    }
  }

  private synchronized void noteUse() {
    used = System.nanoTime();
    use.accept(usedByHost || isRead());
  }

  // ---- for the host

  /** Null where calls have to go by the host from now on. */
  public void publish(@Nullable Facts now) {
    facts = now;
  }

  /** Notes whether the session is in use without its straight calls, and its other calls. */
  public void noteUse(boolean byHost, int calls) {
    usedByHost = byHost;
    callsOfHost = calls;
    noteUse();
  }

  public Collection<StraightCall> calls() {
    return inFlight.values();
  }

  public @Nullable StraightCall call(String callId) {
    return inFlight.get(callId);
  }

  /** The host has the call from now on; null if there is none of that id. */
  public @Nullable StraightCall take(String callId) {
    return inFlight.remove(callId);
  }

  /** Whether a client reads the response of a call. */
  public boolean isRead() {
    for (StraightCall call : inFlight.values()) {
      if (call.isRead()) {
        return true;
      }
    }
    return false;
  }

  /** When a call began or ended last, {@link System#nanoTime}. */
  public long used() {
    return used;
  }

  /** Lets no further call begin, unless a call is in flight; false if one is. */
  public boolean closeIfIdle() {
    closed = true;
    closed = inFlight.isEmpty();
    return closed;
  }

  /** The session ends: its calls do, too. */
  public void close() {
    closed = true;
    calls().forEach(StraightCall::sessionEnded);
  }
}
