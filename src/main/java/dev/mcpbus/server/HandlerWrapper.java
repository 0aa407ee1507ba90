package dev.mcpbus.server;

import dev.mcpbus.protocol.PublicApi;

/**
 * Adds something around a handler: a check of rights, a log line, another text for failures.
 * Register it with {@link RawServer#wrap} for all handlers, or apply it to a single one:
 *
 * <pre>{@code
 * server.tool("drop", "Drops a table.", schema,
 *     HandlerWrappers.authorized(request -> admins.contains(request.principal())).wrap(this::drop));
 * }</pre>
 */
@PublicApi
@FunctionalInterface
public interface HandlerWrapper {

  /** Adds nothing. */
  HandlerWrapper NONE = handler -> handler;

  /**
   * Returns a handler that calls {@code inner}. {@code inner} never throws: its failures are in its
   * future.
   */
  RequestHandler wrap(RequestHandler inner);

  /** Combines two wrappers: this one outside, {@code inner} inside. */
  default HandlerWrapper around(HandlerWrapper inner) {
    return handler -> wrap(inner.wrap(handler));
  }
}
