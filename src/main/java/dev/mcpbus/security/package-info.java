/** Inbound protection: the Host and Origin guard of every HTTP route. */
@NullMarked
package dev.mcpbus.security;

import org.jspecify.annotations.NullMarked;
