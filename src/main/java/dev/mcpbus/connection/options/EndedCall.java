package dev.mcpbus.connection.options;

import dev.mcpbus.bus.ConnectionId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A call over a private connection that has ended. Immutable.
 *
 * @param lease the id of the connection
 * @param number of the call on that connection, from 1
 * @param method of MCP
 * @param name of the tool or the prompt, or the URI, at most 256 characters; null for other calls
 * @param owner the name of the principal; null for a program on the bus
 * @param hasCallId whether its caller could cancel it
 * @param time when it ended
 * @param millis how long it took
 * @param outcome {@code OK}, {@code TOOL_ERROR} or the code of the failure
 */
public record EndedCall(
    ConnectionId lease,
    long number,
    String method,
    @Nullable String name,
    @Nullable String owner,
    boolean hasCallId,
    Instant time,
    long millis,
    String outcome) {}
