/**
 * JSON Schema for arguments: checks a call's arguments, checks whether a schema is valid, and
 * bounds the cost of a check. No thread, no I/O; a schema never causes a request.
 */
@NullMarked
package dev.mcpbus.protocol.schema;

import org.jspecify.annotations.NullMarked;
