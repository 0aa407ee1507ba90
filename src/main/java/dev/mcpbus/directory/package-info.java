/**
 * The lists of all servers, kept once in one immutable snapshot, and views that put names and
 * policy on top. One verticle writes the snapshot; every thread may read it.
 *
 * <p>{@code PolicyCheck}, {@code PolicyFilter} and {@code PermittedSearch} stand here because both
 * doors use them, and because {@code security} does not see the addresses of the bus.
 */
@NullMarked
package dev.mcpbus.directory;

import org.jspecify.annotations.NullMarked;
