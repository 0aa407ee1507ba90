/**
 * What mcpbus survives, end to end: bus call, connection, supervisor, real child process. Test
 * names begin with the number of the fault.
 */
@NullMarked
package dev.mcpbus.faults;

import org.jspecify.annotations.NullMarked;
