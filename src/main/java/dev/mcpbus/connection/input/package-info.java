/**
 * What a server asks: elicitation, sampling, roots. Owner of each class: the connection's context.
 */
@NullMarked
package dev.mcpbus.connection.input;

import org.jspecify.annotations.NullMarked;
