/**
 * The questions of a server: elicitation, sampling, roots. This package sends each to {@code
 * mcp.input.ask}, where {@code InputVerticle} finds a handler.
 *
 * <pre>
 *    initialize era            discover era             discover era
 *    requests of the server    results input_required   tasks input_required
 *         |                         |                        |
 * +-------|-------------------------|------------------------|----------+
 * |  ServerRequests           MultiRoundTrip            TaskInputs      |
 * |       |                         |                        |          |
 * |       +-------------------------+------------------------+          |
 * |                                 v                                   |
 * |                           InputRequests                             |
 * +---------------------------------|-----------------------------------+
 *                                   v
 *                             mcp.input.ask
 * </pre>
 *
 * <p>{@code OfferedCapabilities} follows what callers offer to answer; the session preferences
 * offer it to the server. Owner of each class: the connection's context.
 */
@NullMarked
package dev.mcpbus.connection.input;

import org.jspecify.annotations.NullMarked;
