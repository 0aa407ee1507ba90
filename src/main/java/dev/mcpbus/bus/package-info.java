/**
 * The shared vocabulary: connection ids, addresses, headers, failure codes, events, the messages
 * between a supervisor and its children, and their codecs. Actors know one another by these words
 * alone.
 */
@NullMarked
package dev.mcpbus.bus;

import org.jspecify.annotations.NullMarked;
