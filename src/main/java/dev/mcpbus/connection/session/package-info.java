/**
 * One session of a connection: the requests that wait for an answer, both eras, and what the server
 * sends. This package knows no tools and no tasks.
 *
 * <pre>
 *   operations, Handshake            ServerMessages (SessionListener)
 *       | send, hold, cancel               ^ questions, notifications,
 * +-----|----------------------------------|-- results not complete ----+
 * |     v                                  |                            |
 * |  Session ------------------------> NotificationRouter               |
 * |     |   PendingRequests                (MessageOwners: whose it is) |
 * |     |     ids, deadlines (DeadlineTimer)                            |
 * |     |   InitializeEra, DiscoverEra                                  |
 * |     |     form of requests (RequestMeta)                            |
 * |     |   AmbiguousMessages, LoopCheck                                |
 * |     |     checks of what the server sends                           |
 * |     v                                                               |
 * |  SessionChannel                                                     |
 * +-----|---------------------------------------------------------------+
 *       v   ^ onMessage
 *   transport.Channel
 * </pre>
 *
 * <p>A {@code BusCall} is the request of a caller, an {@code InternalRequest} one of the
 * connection; both are a {@code PendingRequest}. {@code PendingRequests} gives each its id: "The
 * request ID MUST NOT have been previously used by the requestor within the same session" (MCP
 * 2025-11-25, Base Protocol, Requests). It also enforces the deadlines. Owner of each class: the
 * connection's context.
 */
@NullMarked
package dev.mcpbus.connection.session;

import org.jspecify.annotations.NullMarked;
