package dev.mcpbus.gateway.dialect;

/**
 * Where the clients of the two eras look alike at their session host and differ. {@link Initialize}
 * and {@link Discover} know the members of their messages.
 *
 * @param asksOnStreams whether a question of a server is a request on a stream; else it waits in
 *     the result of a call, or for the next call, and has no progress
 * @param namesTasks whether a task has an id by which the client hears of it on its standing
 *     stream; else the call that became the task hears of it
 * @param hearsShared whether the host tells the client what shared connections report; else its
 *     HTTP verticle does
 * @param hearsUnread whether the client of one server hears of a list that it has not read, and of
 *     a resource to which it has not subscribed
 * @param endsWhole whether it ends with the connection that makes room for another client
 * @param endsUnused whether it is forgotten as soon as nothing is left of it; else when it is idle
 */
public record Dialect(
    boolean asksOnStreams,
    boolean namesTasks,
    boolean hearsShared,
    boolean hearsUnread,
    boolean endsWhole,
    boolean endsUnused) {

  public static final Dialect INITIALIZE = new Dialect(true, true, true, true, true, false);
  public static final Dialect DISCOVER = new Dialect(false, false, false, false, false, true);
}
