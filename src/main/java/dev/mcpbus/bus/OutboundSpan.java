package dev.mcpbus.bus;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.TraceContext;
import org.jspecify.annotations.Nullable;

/**
 * A request that a connection sends to its server. Immutable.
 *
 * @param id of the JSON-RPC request
 * @param item the name of the tool, if the list of the server has it; else null
 * @param params as the caller gave them; null for none
 * @param trace that the call came with; null for none
 * @param ofCaller false for a request of the connection itself, such as a health check
 */
public record OutboundSpan(
    long id,
    String method,
    @Nullable String item,
    @Nullable RawJson params,
    @Nullable TraceContext trace,
    boolean ofCaller) {}
