/**
 * Streamable HTTP: each message is a POST. Its answer is a JSON body, or an event stream that can
 * be resumed after a cut. Messages outside a request come on a standalone GET stream. One {@code
 * HttpChannel} holds one session; a {@code PostExchange} is one POST and its answer; an {@code
 * EventStreamReader} reads one event stream over any number of HTTP connections. {@code HttpEra}
 * holds the differences between the eras. HTTP+SSE of 2024-11-05 has its own channel, {@code
 * SseChannel}; {@code FallbackChannel} uses it if a server refuses {@code initialize}.
 */
@NullMarked
package dev.mcpbus.transport.http;

import org.jspecify.annotations.NullMarked;
