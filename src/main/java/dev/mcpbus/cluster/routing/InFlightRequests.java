package dev.mcpbus.cluster.routing;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.ReceiverWords;
import dev.mcpbus.bus.ReplicaId;
import io.vertx.core.Promise;
import io.vertx.core.eventbus.Message;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The requests in flight, each with the node to which the bus sent it. {@link ClusterRequests} ends
 * them when that node leaves the cluster or has handed the connection over. Any thread may call.
 */
final class InFlightRequests {

  private final Set<InFlightRequest<?>> all = ConcurrentHashMap.newKeySet();

  /**
   * Nodes that have left, each with the time, by {@code System.nanoTime()}; one of them may join
   * again after a partition.
   */
  private final Map<String, Long> gone = new ConcurrentHashMap<>();

  /**
   * Whether the bus reports the node of each message ({@link InFlightRequest#goesTo}); otherwise
   * the known owner counts as that node.
   */
  private volatile boolean nodeReported;

  /** How long the registrations of the bus may name a node that has left. */
  private static final long LATELY_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** How long the bus may take to find the node of a request. */
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(600);

  final class InFlightRequest<T> {
    private final long sentAt = System.nanoTime();
    private final @Nullable ConnectionId server;
    private final @Nullable ReplicaId replica;
    private final @Nullable String expected;
    private final Promise<Message<T>> promise;
    private final boolean passedOn;
    private final @Nullable RequestId id;
    private volatile @Nullable String node;

    /** No node was chosen, and none may be any more. Guarded by this. */
    private boolean givenUp;

    private volatile boolean mayBeGivenUp;

    /** The bus sent it to the known owner without a look at the registrations. */
    private volatile boolean isGuess;

    // Of the thread that looks for lost answers.
    private boolean maybeLost;
    private boolean asking;

    private InFlightRequest(
        @Nullable RequestId id,
        @Nullable ConnectionId server,
        @Nullable ReplicaId replica,
        @Nullable String expected,
        boolean passedOn,
        Promise<Message<T>> promise) {
      this.id = id;
      this.passedOn = passedOn;
      this.server = server;
      this.replica = replica;
      this.expected = expected;
      this.promise = promise;
    }

    /**
     * The bus has chosen a node for the request.
     *
     * @param guessed without a look at the registrations
     * @return false where it must not be sent any more
     */
    boolean goesTo(String to, boolean guessed) {
      nodeReported = true;
      synchronized (this) {
        if (givenUp) {
          return false;
        }
        node = to;
      }
      if (guessed) {
        isGuess = true;
      }
      // The node may have left after it was chosen and before it was recorded here: then left() has
      // not seen this request.
      if (gone.containsKey(to) && !passedOn) {
        lost(this, "that the call went to has left the cluster");
      }
      return true;
    }

    /** Its caller sends it again where {@link #giveUp} ends it. */
    void mayBeGivenUp() {
      mayBeGivenUp = nodeReported;
    }

    /**
     * Takes back a request for which the bus has found no node for long. False where it has been
     * sent.
     */
    boolean giveUp() {
      if (!mayBeGivenUp || System.nanoTime() - sentAt < PATIENCE_NANOS) {
        return false;
      }
      return takeBack();
    }

    /** Takes back a request that was not sent so far; its promise is the caller's then. */
    synchronized boolean takeBack() {
      if (node == null && !givenUp) {
        givenUp = true;
        all.remove(this);
        return true;
      }
      return false;
    }

    /** Where the bus sent it, or the owner to which a third node passes it on. */
    private boolean isAt(String where) {
      return where.equals(nodeReported ? node : null)
          || (where.equals(expected) && (passedOn || !nodeReported));
    }

    /** Null for a request to this node itself. */
    @Nullable RequestId id() {
      return id;
    }

    /** A third node passes it on. */
    boolean isPassedOn() {
      return passedOn;
    }

    /** The node that is to answer; null where it is this process, or not known. */
    @Nullable String receiver() {
      return passedOn ? expected : firstHop();
    }

    /** The node to which the bus sent it; null where that is not known. */
    @Nullable String firstHop() {
      return node;
    }

    /** Notes that a link which it or its answer takes is cut; {@code false} takes nothing back. */
    void mayBeLost(boolean lost) {
      maybeLost |= lost;
    }

    /** True where its answer may be lost and this node does not ask for it yet: it has to, then. */
    boolean beginAsking() {
      boolean begins = maybeLost && !asking;
      asking |= begins;
      return begins;
    }

    void endAsking() {
      asking = false;
    }

    /** The bus sent it to a node where its receiver may not be. */
    boolean isMisrouted() {
      String to = node;
      return isGuess || (to != null && expected != null && !passedOn && !to.equals(expected));
    }

    /** The id, the server, the node and the age, for the log. */
    @Override
    public String toString() {
      long millis = (System.nanoTime() - sentAt) / 1_000_000;
      return id
          + " for "
          + what()
          + " at "
          + node
          + ", expected at "
          + expected
          + ", "
          + millis
          + " ms old";
    }

    private String what() {
      return server == null ? "what was called" : ReceiverWords.server(server);
    }

    void answered(Message<T> reply) {
      all.remove(this);
      promise.tryComplete(reply);
    }

    void failed(Throwable failure) {
      all.remove(this);
      promise.tryFail(failure);
    }

    /** The bus's own failure, which says nothing of a request that was taken back. */
    void failedOnBus(Throwable failure) {
      if (!isTakenBack()) {
        failed(failure);
      }
    }

    private synchronized boolean isTakenBack() {
      return givenUp;
    }
  }

  /**
   * @param id in the headers of the request; null for one to this node itself
   * @param replica that should receive the request, null where none is known
   * @param expected its node, null where that is not known
   * @param passedOn a third node passes the request on to the owner
   * @param promise completed once, by the reply, the failure of sending, or the loss of the node
   */
  <T> InFlightRequest<T> begin(
      @Nullable RequestId id,
      @Nullable ConnectionId server,
      @Nullable ReplicaId replica,
      @Nullable String expected,
      boolean passedOn,
      Promise<Message<T>> promise) {
    InFlightRequest<T> request =
        new InFlightRequest<>(id, server, replica, expected, passedOn, promise);
    all.add(request);
    // The owner may have left after it was looked up and before it was recorded here.
    if (!passedOn && expected != null && gone.containsKey(expected) && request.isAt(expected)) {
      lost(request, "that the call went to has left the cluster");
    }
    return request;
  }

  Set<InFlightRequest<?>> all() {
    return Collections.unmodifiableSet(all);
  }

  /** Records that a node has left: the next request is not sent there. */
  void leaves(String node) {
    gone.put(node, System.nanoTime());
  }

  /** Records that a node has left, and ends all requests that went there. */
  void left(String node) {
    leaves(node);
    endAll(
        request -> request.isAt(node), "that held %s has left the cluster; the call may have run");
  }

  void joined(String node) {
    gone.remove(node);
  }

  boolean isGone(String node) {
    return gone.containsKey(node);
  }

  /**
   * Whether the bus may choose a node that has just left, and nothing here would learn of it: a
   * program's own cluster does not report the node of a message.
   */
  boolean mayGoToLostNode() {
    long now = System.nanoTime();
    return !nodeReported && gone.values().stream().anyMatch(left -> now - left < LATELY_NANOS);
  }

  /**
   * Ends the requests that a node has not answered some time after it handed a connection over. By
   * now it has answered everything that it had accepted: it never received these, or its answers
   * were lost.
   *
   * @param before {@code System.nanoTime()}: requests sent later went to the next owner
   */
  void released(ReplicaId replica, String node, long before) {
    endAll(
        request ->
            replica.server().equals(request.server)
                && (request.replica == null || request.replica.equals(replica))
                && request.isAt(node)
                && request.sentAt < before,
        "handed %s over before it answered; the call may have run");
  }

  private void endAll(Predicate<InFlightRequest<?>> which, String what) {
    for (InFlightRequest<?> request : all) {
      if (which.test(request)) {
        lost(request, String.format(what, request.what()));
      }
    }
  }

  private void lost(InFlightRequest<?> request, String what) {
    if (all.remove(request)) {
      request.promise.tryFail(McpFailure.maybeSent(FailureCode.OWNER_LOST, "the node " + what));
    }
  }
}
