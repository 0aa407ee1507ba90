package dev.mcpbus.security;

import org.jspecify.annotations.Nullable;

/**
 * What somebody wants to do, as policies see it. Immutable.
 *
 * @param server the server's id; empty where it is about none
 * @param item name of a tool or prompt, URI of a resource; empty for the server itself
 */
public record Operation(Action action, String server, String item, Scope scope) {

  /** Who decides of it. */
  public enum Scope {
    /** Nobody: it concerns what is the caller's own. */
    OWN,
    /** The policies, by action, server and item. */
    NAMED,
    /** It should name an item and does not: where there are policies it is nobody's. */
    NAMELESS,
    /**
     * It tells or does more than an item names, and cannot be made smaller: it is for those who
     * have no policies, or the admin right.
     */
    WHOLE,
    /** Nobody knows what it does: an admin's where there are no policies, else nobody's. */
    UNKNOWN
  }

  /** Of nothing that is anybody's. */
  public static final Operation NOTHING = new Operation(Action.LIST, "", "", Scope.OWN);

  /** Of one item, or of a server where {@code item} is empty. */
  public static Operation of(Action action, String server, String item) {
    return new Operation(action, server, item, Scope.NAMED);
  }

  /** Of an item that should be named and is not. */
  public static Operation nameless(Action action, String server) {
    return new Operation(action, server, "", Scope.NAMELESS);
  }

  /** Of everything that a server has, or all servers. */
  public static Operation whole(Action action, String server) {
    return new Operation(action, server, "", Scope.WHOLE);
  }

  /** Of a server, in a way that has no row in any table. */
  public static Operation unknown(String server) {
    return new Operation(Action.CALL, server, "", Scope.UNKNOWN);
  }

  /** For the audit log; null where nothing is named. */
  public @Nullable String named() {
    return item.isEmpty() ? null : item;
  }
}
