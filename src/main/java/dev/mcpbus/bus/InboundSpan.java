package dev.mcpbus.bus;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TraceContext;
import org.jspecify.annotations.Nullable;

/**
 * A request of a client at a door. Immutable.
 *
 * @param door {@code mcp} for the gateway, {@code api} for the bridge
 * @param method of MCP
 * @param id of the JSON-RPC request; null where the client gave none
 * @param version of the protocol; null where the door has none
 * @param trace the trace of the request; null for none
 * @param transport the trace of the HTTP request, where the message names another; else null
 */
public record InboundSpan(
    String door,
    String method,
    @Nullable RawJson id,
    @Nullable String version,
    @Nullable TraceContext trace,
    @Nullable TraceContext transport) {}
