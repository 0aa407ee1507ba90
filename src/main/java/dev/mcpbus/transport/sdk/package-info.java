/**
 * Bridges to the MCP Java SDK. {@link dev.mcpbus.transport.sdk.SdkClientTransport} wraps any client
 * transport of the SDK as a transport of mcpbus; {@link
 * dev.mcpbus.transport.sdk.SdkServerTransportProvider} runs a server built with the SDK's {@code
 * McpServer} over our in-process transports.
 *
 * <p>Threading: the SDK's work (JSON, schema checks, handlers of tools) runs on Reactor's {@code
 * boundedElastic} threads, never on an event loop; everything of ours stays on the owner context.
 */
@NullMarked
package dev.mcpbus.transport.sdk;

import org.jspecify.annotations.NullMarked;
