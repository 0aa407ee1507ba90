package dev.mcpbus.security;

import org.jspecify.annotations.Nullable;

/**
 * What a caller wants to do, in the form in which {@link Rights} decide on it. Immutable.
 *
 * @param server the server's id; empty if it concerns no server
 * @param item name of a tool or prompt, URI of a resource; empty for the server itself
 */
public record Operation(Action action, String server, String item, Scope scope) {

  /** Which rule decides. */
  public enum Scope {
    /** Always allowed: it concerns only what belongs to the caller. */
    OWN,
    /** The policies decide, by action, server and item. */
    NAMED,
    /** It should name an item and does not: denied if there are policies. */
    NAMELESS,
    /**
     * It concerns several items and cannot be decided item by item: allowed if there are no
     * policies, or with the admin right.
     */
    WHOLE,
    /**
     * It concerns each server for which the caller has the right, and its reply has those servers
     * alone: allowed if there may be one.
     */
    SOME,
    /**
     * Its effect is not known: denied if there are policies, otherwise allowed with the admin
     * right.
     */
    UNKNOWN
  }

  /** Concerns no server and no item. */
  public static final Operation NOTHING = own(Action.LIST, "");

  /**
   * An operation that concerns only what belongs to the caller; {@code server} is for the audit.
   */
  public static Operation own(Action action, String server) {
    return new Operation(action, server, "", Scope.OWN);
  }

  /** An operation on one item, or on a server if {@code item} is empty. */
  public static Operation of(Action action, String server, String item) {
    return new Operation(action, server, item, Scope.NAMED);
  }

  /** An operation on an item that should be named and is not. */
  public static Operation nameless(Action action, String server) {
    return new Operation(action, server, "", Scope.NAMELESS);
  }

  /** An operation on everything that a server has, or on all servers. */
  public static Operation whole(Action action, String server) {
    return new Operation(action, server, "", Scope.WHOLE);
  }

  /** An operation on all servers for which the caller has the right; the reply is filtered. */
  public static Operation some(Action action) {
    return new Operation(action, "", "", Scope.SOME);
  }

  /** An operation on a server by a method that has no row in {@link OperationTable}. */
  public static Operation unknown(String server) {
    return new Operation(Action.CALL, server, "", Scope.UNKNOWN);
  }

  /** The item for the audit log; null if none is named. */
  public @Nullable String named() {
    return item.isEmpty() ? null : item;
  }
}
