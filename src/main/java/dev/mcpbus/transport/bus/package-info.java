/**
 * A server behind an event-bus address, on this node or another one: {@link
 * dev.mcpbus.transport.bus.BusServer} listens, {@link dev.mcpbus.transport.bus.BusTransport}
 * connects.
 *
 * <p>A connection is a pair of private addresses, one per side. Each JSON-RPC message is one {@code
 * Buffer} sent to the other side's address as a request; the empty reply means that the other side
 * has accepted it, and frees room in the send window. A frame with the header {@code mcpbus-frame}
 * is control: {@code connect} (to the listening address, with the client's private address in
 * {@code mcpbus-channel}; the reply carries the server's), {@code close}, and {@code ping}, which
 * checks an idle connection. If a frame gets no reply, the other side is gone, and the connection
 * ends.
 */
@NullMarked
package dev.mcpbus.transport.bus;

import org.jspecify.annotations.NullMarked;
