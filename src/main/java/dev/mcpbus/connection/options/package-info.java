/**
 * What configuration and hosting say of a connection: its options, its right to serve, where its
 * pins are kept.
 */
@NullMarked
package dev.mcpbus.connection.options;

import org.jspecify.annotations.NullMarked;
