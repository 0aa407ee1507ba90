package dev.mcpbus.bus;

import org.jspecify.annotations.Nullable;

/**
 * From the private connections of a node to the connection of the same server that all callers
 * share, at {@code mcp.<id>.control}; on one node, by reference. {@link MayShare} and {@link
 * RefusedTwice} are answered with an {@link SharingAnswer}. Immutable.
 */
public sealed interface SharingMessage {

  /**
   * A client needs a connection to the server: is the shared one the only one that there can be?
   *
   * @param owner the name of the client's principal
   */
  record MayShare(String owner) implements SharingMessage {}

  /**
   * The server has refused a session of a client's own, twice.
   *
   * @param owner the name of the client's principal
   */
  record RefusedTwice(String owner) implements SharingMessage {}

  /** A client has a session of its own: lists and health alone need no other one. */
  record Served() implements SharingMessage {}

  /** No client has a session of its own any more. */
  record Unserved() implements SharingMessage {}

  /**
   * What the shared connection says.
   *
   * @param serves whether it has a session
   * @param one whether that is the only session that the server takes
   * @param refusal why the client may not use it all the same; null if it may
   */
  record SharingAnswer(boolean serves, boolean one, @Nullable McpFailure refusal) {

    /** Of a connection that is not on this node. */
    public static final SharingAnswer NONE = new SharingAnswer(false, false, null);
  }
}
