/**
 * The HTTP bridge: REST, JSON-RPC, event streams, the event bus over SockJS, and health. {@code
 * RouteTable} is the one table of paths, with the action that rights decide on and the description
 * for the OpenAPI document.
 */
@NullMarked
package dev.mcpbus.bridge;

import org.jspecify.annotations.NullMarked;
