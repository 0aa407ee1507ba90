/** Peers and probes that tests of several packages share. */
@NullMarked
package dev.mcpbus.testing;

import org.jspecify.annotations.NullMarked;
