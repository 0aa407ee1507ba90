/**
 * HTTP in: REST, JSON-RPC, event streams, the bus itself and health. {@code RouteTable} is the one
 * table of paths: what each does to rights, and what the OpenAPI document says of it.
 */
@NullMarked
package dev.mcpbus.bridge;

import org.jspecify.annotations.NullMarked;
