/**
 * The HTTP side of the gateway: {@code GatewayEndpoint} finds the view and the era of a request,
 * and an endpoint for each era makes one {@code GatewayRequest} of it and writes the answer in the
 * form of the era. Everything here is confined to the context of an HTTP verticle.
 */
@NullMarked
package dev.mcpbus.gateway.http;

import org.jspecify.annotations.NullMarked;
