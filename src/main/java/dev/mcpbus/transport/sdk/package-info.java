/**
 * Bridges to the MCP Java SDK. {@link dev.mcpbus.transport.sdk.SdkClientTransport} makes any client
 * transport of the SDK one of ours; {@link dev.mcpbus.transport.sdk.SdkServerTransportProvider}
 * lets a server built with the SDK's {@code McpServer} serve over our in-process transports.
 *
 * <p>Threading: the SDK's work (JSON, schema checks, handlers of tools) runs on Reactor's {@code
 * boundedElastic} threads, never on an event loop; everything of ours stays on the owner context.
 */
@NullMarked
package dev.mcpbus.transport.sdk;

import org.jspecify.annotations.NullMarked;
