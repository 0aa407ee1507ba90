package dev.mcpbus.directory;

import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Collection;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Why servers list nothing, at one moment, and the words for it in the results of lists. Immutable.
 *
 * @param down by id, the servers whose connection does not serve
 * @param leftOut by id, why the configuration leaves servers out
 */
public record AbsentLists(Map<String, DownServer> down, Map<String, String> leftOut) {

  static final AbsentLists NONE = new AbsentLists(Map.of(), Map.of());

  /** Servers that one result names. */
  private static final int MAX_NAMED = 100;

  /**
   * A connection that does not serve; null is what no event has said.
   *
   * @param reason the code and the message of the last failure
   * @param nextAttempt when it starts again, ISO 8601
   */
  record DownServer(@Nullable String state, @Nullable String reason, @Nullable String nextAttempt) {

    static final DownServer UNKNOWN = new DownServer(null, null, null);

    DownServer withState(String now) {
      return new DownServer(now, reason, nextAttempt);
    }

    DownServer withReason(String why) {
      return new DownServer(state, why, null);
    }

    DownServer withNextAttempt(@Nullable String when) {
      return new DownServer(state, reason, when);
    }
  }

  /**
   * The servers without a list of {@code kind}: {@code [{server, state, reason?, nextAttempt?}]},
   * of many the first {@value #MAX_NAMED}. The state of a server that the configuration leaves out
   * is {@code LEFT_OUT}.
   *
   * @param wanted whether the reader sees the server of that id
   */
  public JsonArray named(DirectorySnapshot servers, ListKind kind, Predicate<String> wanted) {
    return named(servers, servers.servers(), kind, wanted);
  }

  /**
   * As {@link #named(DirectorySnapshot, ListKind, Predicate)}.
   *
   * @param candidates the servers that may lack the list
   */
  JsonArray named(
      DirectorySnapshot servers,
      Collection<DirectoryEntry> candidates,
      ListKind kind,
      Predicate<String> wanted) {
    JsonArray all = new JsonArray();
    for (DirectoryEntry server : candidates) {
      if (all.size() < MAX_NAMED && server.list(kind) == null && wanted.test(server.id().value())) {
        all.add(described(server, kind));
      }
    }
    leftOut.forEach(
        (id, reason) -> {
          if (all.size() < MAX_NAMED && servers.server(id) == null && wanted.test(id)) {
            all.add(
                new JsonObject().put("server", id).put("state", "LEFT_OUT").put("reason", reason));
          }
        });
    return all;
  }

  private JsonObject described(DirectoryEntry server, ListKind kind) {
    JsonObject described = new JsonObject().put("server", server.id().value());
    DownServer known = down.get(server.id().value());
    McpFailure failure = server.failures().get(kind);
    if (known == null) {
      ConnectionState state = server.up() ? ConnectionState.READY : ConnectionState.CONNECTING;
      return described
          .put("state", state.name())
          .put(
              "reason",
              failure == null
                  ? "it has given no list of its " + kind.member + " so far"
                  : reason(failure));
    }
    String reason = known.reason() != null || failure == null ? known.reason() : reason(failure);
    putKnown(described, "state", known.state());
    putKnown(described, "reason", reason);
    putKnown(described, "nextAttempt", known.nextAttempt());
    return described;
  }

  private static void putKnown(JsonObject described, String member, @Nullable String value) {
    if (value != null) {
      described.put(member, value);
    }
  }

  private static String reason(McpFailure failure) {
    return UnavailableReasons.cut(
        failure.code() == FailureCode.UPSTREAM_ERROR
            ? failure.code()
                + ": "
                + failure.toJsonRpcError().getValue("code")
                + " "
                + failure.getMessage()
            : failure.code() + ": " + failure.getMessage());
  }
}
