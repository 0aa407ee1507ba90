package dev.mcpbus.server;

/**
 * Puts something around a handler: who may call, what is logged, how a failure reads. Given to
 * {@link RawServer#wrap} for all handlers, or applied to a single one:
 *
 * <pre>{@code
 * server.tool("drop", "Drops a table.", schema, Wrappers.authorized(admins).wrap(this::drop));
 * }</pre>
 */
@FunctionalInterface
public interface HandlerWrapper {

  /** Nothing around it. */
  HandlerWrapper NONE = handler -> handler;

  /**
   * A handler that does its part and calls {@code inner}, which never throws: its failures are in
   * its future.
   */
  RequestHandler wrap(RequestHandler inner);

  /** This one outside, {@code inner} inside. */
  default HandlerWrapper around(HandlerWrapper inner) {
    return handler -> wrap(inner.wrap(handler));
  }
}
