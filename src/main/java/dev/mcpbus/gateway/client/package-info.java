/**
 * The state of clients. A {@code GatewaySession} is a client of the {@code initialize} era; a
 * {@code DiscoverClient} is what the servers of that era know of a client of the {@code discover}
 * era, and its calls there are {@code ParkedCall}s. Both have {@code ClientConnections}, one
 * private connection for each server that has sessions, and {@code ClientLists}. A {@code
 * SessionHost} receives their messages; {@code CallRegistry} finds the one that a server's message
 * is for. Everything here is confined to the context of a {@code SessionHost}.
 */
@NullMarked
package dev.mcpbus.gateway.client;

import org.jspecify.annotations.NullMarked;
