package dev.mcpbus.connection.options;

import dev.mcpbus.bus.Headers;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolVersion;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The options of one connection, with any transport.
 *
 * @param handshakeTimeout from the open channel to a ready session, default 30 s; for a command
 *     that installs its program first, from the first line of that program
 * @param installTimeout how long a command such as {@code npx}, {@code uvx} or {@code docker run}
 *     may take to fetch or build its program before that; default 5 min
 * @param probeTimeout how long a server may leave {@code server/discover} without an answer before
 *     it gets {@code initialize} as well; default 2 s
 * @param protocolVersion the version to speak, without a probe; null to find it
 * @param capabilities the questions that the server may ask in any case, in addition to those that
 *     callers offer to answer: {@code {"elicitation": {"form": {}}}}; default none
 * @param requestTimeout a call without a deadline of its own gets this; default 120 s
 * @param maxCallDuration progress extends {@code requestTimeout} up to this; default 10 min
 * @param maxStreamDuration how long a request may last that is a stream: {@code
 *     subscriptions/listen}, or a method that MCP does not define and whose server goes on
 *     speaking; zero for as long as it does, default zero
 * @param pingInterval between health checks, zero for none; default 30 s
 * @param pingTimeout for one health check, default 5 s
 * @param pingThreshold how many failed health checks in a row lead to a restart; default 3
 * @param healthInterval between checks that the server still speaks its protocol and that its tools
 *     are what they were, zero for none; default 60 s
 * @param pin the tools whose definitions are pinned; default none
 * @param maxPending calls in flight at most, default 1,024
 * @param maxStash calls that wait for a session at most, default 256
 * @param whenUnavailable what happens to a call while there is no session; default {@code STASH}
 * @param lazy no session before the first call; default false
 * @param idleStop the session ends after this long without a call, zero for never; default zero
 * @param shared whether clients of the gateway may share the connection although its server keeps a
 *     session; default false
 * @param identity as whom the server is called: default {@code SHARED}, with the one credential of
 *     its entry
 * @param credential what a principal needs before it has a connection to a server of callers;
 *     default {@code NONE}
 * @param callerHeaders the headers of the caller's HTTP request that its connection may use, in
 *     small letters; default none
 * @param beforeLogin what a principal sees of such a server before it has its credential; default
 *     {@code TOOL}
 * @param repeat whether mcpbus makes a safe call again whose owner or connection was lost; default
 *     {@code SAFE}
 * @param renewable whether a client of the gateway may go on with a new connection, and so a new
 *     session at the server, where the node of the last one is lost; default false
 * @param balance which of several connections takes a call that any can answer; default {@code
 *     ROUND_ROBIN}
 * @param balanceKey the header of calls on the bus whose value decides with {@code STICKY}, default
 *     {@code principal}
 * @param breaker refuses calls while too many of them fail; default none
 * @param strict refuse every {@link dev.mcpbus.protocol.Quirk} of the server; default false
 * @param toolsOnly refuse a server that offers prompts or resources; default false
 * @param tools which of the server's tools exist for callers; default all
 * @param validation whether arguments are checked before a call is sent; default {@code AUTO}
 * @param maxPages pages of one list at most, default 1,000
 * @param limits bounds of a caller's message
 */
public record ConnectionOptions(
    Duration handshakeTimeout,
    Duration installTimeout,
    Duration probeTimeout,
    @Nullable ProtocolVersion protocolVersion,
    JsonObject capabilities,
    Duration requestTimeout,
    Duration maxCallDuration,
    Duration maxStreamDuration,
    Duration pingInterval,
    Duration pingTimeout,
    int pingThreshold,
    Duration healthInterval,
    PinOptions pin,
    int maxPending,
    int maxStash,
    WhenUnavailable whenUnavailable,
    boolean lazy,
    Duration idleStop,
    boolean shared,
    Identity identity,
    Credential credential,
    Set<String> callerHeaders,
    BeforeLogin beforeLogin,
    Repeat repeat,
    boolean renewable,
    Balance balance,
    String balanceKey,
    BreakerOptions breaker,
    boolean strict,
    boolean toolsOnly,
    ToolPolicy tools,
    Validation validation,
    int maxPages,
    ParseLimits limits) {

  public ConnectionOptions {
    capabilities = capabilities.copy();
    callerHeaders =
        callerHeaders.stream()
            .map(name -> name.toLowerCase(Locale.ROOT))
            .collect(Collectors.toUnmodifiableSet());
  }

  /** Whether each principal has a connection of its own to the server. */
  public boolean isOfCallers() {
    return identity == Identity.CALLER;
  }

  /** A copy. */
  @Override
  public JsonObject capabilities() {
    return capabilities.copy();
  }

  /** As whom a server is called. */
  public enum Identity {
    /** As mcpbus, with the credential of the entry. */
    SHARED,
    /** As the principal that calls, over a connection of its own. */
    CALLER
  }

  /** What a principal needs before it has a connection to a server of callers. */
  public enum Credential {
    NONE,
    /** A secret that it has stored: {@code ${caller.secret}}. */
    SECRET,
    /** Its own login at the authorization server of the server. */
    LOGIN,
    /** A token that mcpbus gets for the token of the caller (RFC 8693, and its relatives). */
    TOKEN_EXCHANGE
  }

  /** What a principal sees of a server of callers before it has its credential. */
  public enum BeforeLogin {
    /** One tool, {@code login}, which says where to get it. */
    TOOL,
    NOTHING
  }

  /** Which calls mcpbus makes again when their owner or their connection is lost. */
  public enum Repeat {
    /**
     * Readings, and calls of tools that the server marks with {@code readOnlyHint} or {@code
     * idempotentHint}.
     */
    SAFE,
    /** None: the marks of the server are not true, or a second reading costs too much. */
    NEVER
  }

  /** Which of the connections of a server takes a call. */
  public enum Balance {
    /** One after the other. */
    ROUND_ROBIN,
    /** The one with the fewest requests in flight. */
    LEAST_PENDING,
    /** The same one for the same key, as long as it serves. */
    STICKY
  }

  /** What happens to a call while there is no session. */
  public enum WhenUnavailable {
    /** It waits in the bounded stash until its own deadline. */
    STASH,
    /** It fails at once with {@code UNAVAILABLE} and the time until the next attempt. */
    REFUSE
  }

  /** Whether tool arguments are checked against the input schema before sending. */
  public enum Validation {
    /** {@code JsonObject} calls are checked, raw {@code Buffer} calls are not. */
    AUTO,
    ALWAYS,
    NEVER
  }

  public static final ConnectionOptions DEFAULT =
      new ConnectionOptions(
          Duration.ofSeconds(30),
          Duration.ofMinutes(5),
          Duration.ofSeconds(2),
          null,
          new JsonObject(),
          Duration.ofSeconds(120),
          Duration.ofMinutes(10),
          Duration.ZERO,
          Duration.ofSeconds(30),
          Duration.ofSeconds(5),
          3,
          Duration.ofSeconds(60),
          PinOptions.NONE,
          1_024,
          256,
          WhenUnavailable.STASH,
          false,
          Duration.ZERO,
          false,
          Identity.SHARED,
          Credential.NONE,
          Set.of(),
          BeforeLogin.TOOL,
          Repeat.SAFE,
          false,
          Balance.ROUND_ROBIN,
          Headers.PRINCIPAL,
          BreakerOptions.NONE,
          false,
          false,
          ToolPolicy.ALL,
          Validation.AUTO,
          1_000,
          ParseLimits.DEFAULT);
}
