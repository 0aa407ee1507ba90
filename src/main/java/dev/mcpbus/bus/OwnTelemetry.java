package dev.mcpbus.bus;

import dev.mcpbus.protocol.PublicApi;

/**
 * A program's own registry of meters, or its own OpenTelemetry, for {@code
 * McpBus.Options.withTelemetry}. {@code ProgramMeters} and {@code ProgramTraces} make one; a class
 * that names neither library does not need them.
 */
@PublicApi
public interface OwnTelemetry {}
