/**
 * The HTTP side of the gateway: {@code GatewayEndpoint} finds the view and the era of a request.
 * {@code DiscoverEndpoint} makes a {@code GatewayRequest} of it and answers it; {@code
 * InitializeEndpoint} and {@code SseEndpoint} send it to the host of its session, where that is
 * done. {@code DiscoverCall} sends it to the shared connection of its server, or to the host that
 * has the client ({@code ClientHosts}). Everything here is confined to the context of an HTTP
 * verticle.
 */
@NullMarked
package dev.mcpbus.gateway.http;

import org.jspecify.annotations.NullMarked;
