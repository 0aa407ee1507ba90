/**
 * Streamable HTTP: each message is a POST, each answer a JSON body or an event stream that can be
 * taken up again after a cut; messages that the server starts come over a GET stream. One {@code
 * HttpChannel} per connection holds the session; an {@code PostExchange} is one POST and its
 * answer; an {@code EventStreamReader} reads one event stream over any number of HTTP connections.
 * What differs between MCP eras is in {@code HttpEra}. The older HTTP+SSE has a channel of its own,
 * {@code SseChannel}; {@code FallbackChannel} turns to it where a server refuses the first message.
 */
@NullMarked
package dev.mcpbus.transport.http;

import org.jspecify.annotations.NullMarked;
