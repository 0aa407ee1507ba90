/**
 * A server's tools: the list, drift and pins, and the checks before a call is sent. Owner of each
 * class: the connection's context.
 */
@NullMarked
package dev.mcpbus.connection.tools;

import org.jspecify.annotations.NullMarked;
