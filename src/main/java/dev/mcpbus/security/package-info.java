/**
 * Inbound protection: the Host and Origin guard of every HTTP route. Outbound: headers that a
 * command prints; {@code security.oauth} has the OAuth client.
 */
@NullMarked
package dev.mcpbus.security;

import org.jspecify.annotations.NullMarked;
