/**
 * The questions of a server: elicitation, sampling, roots. This package sends those to one client
 * of the gateway to its session host, as bytes; each other to {@code mcp.input.ask}, where {@code
 * InputVerticle} finds a handler.
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
 *                     +-------------+-------------+
 *                     v                           v
 *               mcp.input.ask         mcp.gateway.questions.HOST
 * </pre>
 *
 * <p>{@code OfferedCapabilities} follows what callers offer to answer; the session preferences
 * offer it to the server. Owner of each class: the connection's context.
 */
@NullMarked
package dev.mcpbus.connection.input;

import org.jspecify.annotations.NullMarked;
