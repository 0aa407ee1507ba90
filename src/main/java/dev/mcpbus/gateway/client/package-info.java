/**
 * The state of clients. A {@code GatewayClient} is one of either era, with {@code
 * ClientConnections}, one private connection for each server that has sessions, and {@code
 * OpenQuestions}. Its calls are {@code SessionCall}s, or {@code ParkedCall}s where the protocol
 * gives the client no session. A {@code SessionHost} receives their messages; {@code CallRegistry}
 * finds the client that a server's message is for. Everything here is confined to the context of a
 * {@code SessionHost}.
 */
@NullMarked
package dev.mcpbus.gateway.client;

import org.jspecify.annotations.NullMarked;
