package dev.mcpbus.transport;

import dev.mcpbus.protocol.Sensitive;
import java.util.Collection;

/**
 * A server behind HTTP+SSE (MCP 2024-11-05).
 *
 * @param http how to reach it; {@code url} is that of the event stream, {@code listen} is not used
 */
public record SseOptions(HttpOptions http) implements TransportOptions {

  public static final String TYPE = "sse";

  @Override
  public String type() {
    return TYPE;
  }

  @Override
  public Collection<Sensitive> secrets() {
    return http.secrets();
  }
}
