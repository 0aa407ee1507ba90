/**
 * JSON Schema for arguments: checks a call's arguments, says whether a schema is one, and bounds
 * what a check may cost. No thread, no I/O; a schema never leads to a request.
 */
@NullMarked
package dev.mcpbus.protocol.schema;

import org.jspecify.annotations.NullMarked;
