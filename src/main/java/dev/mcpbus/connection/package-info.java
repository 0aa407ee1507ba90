/**
 * The actor of one MCP server. {@link dev.mcpbus.connection.ConnectionVerticle} holds the addresses
 * and the state of a connection; a {@code Session} is one incarnation of it, from handshake to end.
 *
 * <pre>
 *            callers                                supervisor
 *               |  mcp.ID.*                     facts ^   | commands
 * +-------------|-------------------------------------|---v-------------+
 * |          Mailbox --> Stash                ConnectionVerticle        |
 * |             |        (no session yet)        |          |           |
 * |             v                                v          v           |
 * |    ConnectionOperations         ConnectionStateHolder  Handshake    |
 * |             |                                           | makes     |
 * |             v                                           v           |
 * |         ReadySession = OpenSession + tools + cache + tasks          |
 * |             |                                                       |
 * |  tools:  ToolCallPipeline       SessionTools, DriftWatch            |
 * |             |  may be called? valid?                                |
 * |  tasks:  ToolCallSender         ServerTasks, TaskWatch              |
 * |             |                                                       |
 * |             v                                                       |
 * |  session: Session --> SessionListener = ServerMessages              |
 * |             |   PendingRequests     |                               |
 * |             |                       v                               |
 * |  input:     |     ServerRequests, MultiRoundTrip, TaskInputs        |
 * +-------------|-------------------------------------------------------+
 *               v
 *        transport.Channel --> server
 * </pre>
 *
 * <p>A call goes down on the left. The server's answer goes from {@code Session} straight to the
 * call; everything else that the server sends goes to {@code ServerMessages}. {@code options} has
 * what configuration and hosting fill in. Other packages may use this package and {@code options},
 * and no other sub-package. Owner of every class: the verticle's event-loop context.
 */
@NullMarked
package dev.mcpbus.connection;

import org.jspecify.annotations.NullMarked;
