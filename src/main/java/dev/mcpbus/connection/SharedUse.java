package dev.mcpbus.connection;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.bus.SharingMessage;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.session.BusCall;
import dev.mcpbus.protocol.Quirk;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Who has called over the connection of a server that gives each client a session of its own. The
 * connection lists for everybody; what it does beside that decides two things:
 *
 * <ul>
 *   <li><i>It rests</i> once a client has a session of its own, if nobody has called over it and
 *       the server is a program: one client costs one process.
 *   <li><i>It is the one session</i> of a server that refuses a second one. Then clients share it,
 *       but only those of one principal: what one has done there another could see.
 * </ul>
 *
 * Owner: the connection's context.
 */
final class SharedUse {

  /** What leaves nothing behind at the server. */
  private static final Set<String> READS = ServerOperation.suffixes(row -> row.list != null);

  /** A client that was away for so long has no session at the gateway any more. */
  private static final long FORGOTTEN_NANOS = TimeUnit.MINUTES.toNanos(30);

  /**
   * A connection that is to rest stops after this pause without a request: the directory may be
   * reading its lists one after the other.
   */
  private static final long REST_MILLIS = 500;

  /** Once a list had to start it again, it stays for more of them. */
  private static final long AWAKE_MILLIS = TimeUnit.MINUTES.toMillis(5);

  private final ConnectionId server;
  private final ConnectionOptions options;
  private final boolean isProgram;

  /** The header of the first principal that called; null before. */
  private @Nullable String first;

  private boolean several;
  private boolean called;
  private boolean resting;
  private boolean awakened;

  /** Whether a client has had a session of its own beside this one: the server takes several. */
  private boolean beside;

  private boolean one;
  private long lastAsked;

  /**
   * @param isProgram whether a session is a process, on a node without a cluster
   */
  SharedUse(ConnectionId server, ConnectionOptions options, boolean isProgram) {
    this.server = server;
    this.options = options;
    this.isProgram = isProgram;
  }

  /**
   * Notes a call.
   *
   * @param serves whether there is a session; else the call starts one
   * @throws McpFailure {@code FORBIDDEN} if the one session of the server is another principal's
   */
  void called(String suffix, BusCall call, boolean serves) {
    if (READS.contains(suffix)) {
      awakened |= resting && !serves;
      return;
    }
    called = true;
    resting = false;
    String principal = call.header(Headers.PRINCIPAL);
    String known = first;
    if (principal == null) {
      return; // a program on the bus, which may see everything
    }
    if (known == null) {
      first = principal;
    } else if (isSame(principal, known)) {
      return;
    } else if (one) {
      throw othersSession();
    } else {
      several = true;
    }
  }

  /** Whether two headers name one principal; their first character says whether it is an admin. */
  private static boolean isSame(String header, String other) {
    return header.length() == other.length()
        && header.regionMatches(1, other, 1, other.length() - 1);
  }

  /**
   * What the private connections of the same server ask of the one that all callers share.
   *
   * @param disconnected whether a caller has disconnected it, and so nothing starts it
   */
  SharingMessage.SharingAnswer answer(
      SharingMessage asked,
      ConnectionStateHolder connection,
      IdleTimer idle,
      boolean disconnected) {
    ReadySession now = connection.serving();
    if (connection.role() != null || (now != null && now.isDiscoverEra())) {
      return SharingMessage.SharingAnswer.NONE;
    }
    if (asked instanceof SharingMessage.MayShare wish) {
      return mayShare(wish.owner(), now != null, System.nanoTime());
    }
    if (asked instanceof SharingMessage.RefusedTwice refused
        && now != null
        && !beside
        && connection.quirks().tolerates(Quirk.ONE_SESSION)) {
      one = true;
      lastAsked = System.nanoTime();
      return mayShare(refused.owner(), true, lastAsked);
    }
    if (asked instanceof SharingMessage.Served) {
      beside |= now != null;
      rest();
      if (resting && now != null) {
        idle.start(now.session());
      }
    } else if (asked instanceof SharingMessage.Unserved && resting) {
      resting = false;
      if (now != null) {
        idle.start(now.session());
      } else if (!options.lazy() && !disconnected) {
        connection.wantStart();
      }
    }
    return SharingMessage.SharingAnswer.NONE;
  }

  /** A client has a session of its own: this one ends when nothing is asked of it. */
  void rest() {
    awakened &= resting;
    resting = isProgram && !called;
  }

  /** Whether a client may use the session, if there is one. */
  private SharingMessage.SharingAnswer mayShare(String owner, boolean serves, long nanos) {
    if (one && nanos - lastAsked > FORGOTTEN_NANOS) {
      one = false;
    }
    if (!one) {
      return new SharingMessage.SharingAnswer(serves, false, null);
    }
    lastAsked = nanos;
    Requester present = Requester.parse(first);
    boolean isOthers = several || (present != null && !present.name().equals(owner));
    return new SharingMessage.SharingAnswer(serves, true, isOthers ? othersSession() : null);
  }

  private McpFailure othersSession() {
    return McpFailure.notSent(
        FailureCode.FORBIDDEN,
        "server '"
            + server
            + "' takes one session only, and another principal uses it; \"shared\": true in its"
            + " entry lets all callers share it");
  }

  /** How long a session that rests may be without a call; 0 for one that does not rest. */
  long restMillis() {
    return !resting ? 0 : awakened ? AWAKE_MILLIS : REST_MILLIS;
  }

  /** Whether the session has ended, or ends soon, because clients have their own. */
  boolean isResting() {
    return resting;
  }

  /** The session is over, and what was done in it: the next one may be one of several. */
  void over() {
    first = null;
    several = false;
    one = false;
    beside &= resting; // the next session follows on the rest, of the same server
  }
}
