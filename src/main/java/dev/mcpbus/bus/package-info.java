/**
 * The contract of the event bus: everything that a caller, a connection, a supervisor and a door
 * share. They exchange messages through these types and do not refer to each other's classes. Read
 * them in this order:
 *
 * <ol>
 *   <li>{@link dev.mcpbus.bus.Addresses}: where each message goes. An address of one server
 *       contains its {@link dev.mcpbus.bus.ConnectionId}.
 *   <li>{@link dev.mcpbus.bus.Headers}: what a caller may say about a call, and what a reply adds.
 *   <li>{@link dev.mcpbus.bus.Events}: the facts that connections and services publish.
 *   <li>{@link dev.mcpbus.bus.LifecycleMessage}: the commands and facts between a supervisor and a
 *       connection on one node; {@link dev.mcpbus.bus.ConnectionState} is the state that results.
 *   <li>{@link dev.mcpbus.bus.FailureCode}: every way in which a call can fail.
 *   <li>{@link dev.mcpbus.bus.McpFailure}: a failure with its code, its message, and whether the
 *       server can have received the request.
 *   <li>{@link dev.mcpbus.bus.RequestSender}: sends a request to a connection, on this node or on
 *       another.
 *   <li>{@link dev.mcpbus.bus.CallDeadline} and {@link dev.mcpbus.bus.CallHeaders}: how long each
 *       layer waits for a call, and how the headers of a call are written; {@link
 *       dev.mcpbus.bus.CallCancellation} ends a call early.
 * </ol>
 *
 * <p>The other types serve these: {@link dev.mcpbus.bus.Requester} (who sends a message), {@link
 * dev.mcpbus.bus.ListKind} (the kinds of lists), names of tools, codecs and the wire form, and
 * secrets that are shared by the nodes.
 *
 * <p>{@link dev.mcpbus.bus.Telemetry} is a seam of its own: what measures operations, with the
 * types that its methods name.
 *
 * <p>Eight types are no part of the contract. Each has users in two packages or more that do not
 * see one another, and this package is the lowest that all of them see:
 *
 * <ul>
 *   <li>{@link dev.mcpbus.bus.FairLimit} and {@link dev.mcpbus.bus.FairLimits}: bounds that callers
 *       share, in {@code connection}, {@code directory}, {@code hosting} and both doors.
 *   <li>{@link dev.mcpbus.bus.Gathered}: the answers of many, and who was silent, in {@code
 *       hosting} and {@code cluster}.
 *   <li>{@link dev.mcpbus.bus.JsonReplies}: replies to a request from a future, in every package
 *       that serves an address.
 *   <li>{@link dev.mcpbus.bus.PeerRequests}: one request to every other node, from {@code
 *       directory} and {@code cluster}.
 *   <li>{@link dev.mcpbus.bus.Readiness}: {@code hosting} writes it, the bridge reads it.
 *   <li>{@link dev.mcpbus.bus.SerialRuns}: runs that never overlap, in {@code directory} and {@code
 *       cluster}.
 *   <li>{@link dev.mcpbus.bus.Timers}: timers that tests advance, in {@code supervisor} and {@code
 *       connection}.
 * </ul>
 */
@NullMarked
package dev.mcpbus.bus;

import org.jspecify.annotations.NullMarked;
