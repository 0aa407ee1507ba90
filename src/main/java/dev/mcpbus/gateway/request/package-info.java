/**
 * One request of a client, in one form for both eras, and its way to a server: {@code
 * GatewayRequest}, {@code GatewayCall}, {@code RequestRouter}. A request is confined to the context
 * of the endpoint or session that made it. Both sides of the message between an endpoint and a
 * session host stand here, too ({@code HostMessage}).
 */
@NullMarked
package dev.mcpbus.gateway.request;

import org.jspecify.annotations.NullMarked;
