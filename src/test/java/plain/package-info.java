/** A program that knows nothing of mcpbus: it runs without our classes on its class path. */
@NullMarked
package plain;

import org.jspecify.annotations.NullMarked;
