/**
 * What all servers offer: the lists of each server as they came, kept in one immutable snapshot,
 * and views that put names and policy on top. One verticle writes; every thread may read.
 */
@NullMarked
package dev.mcpbus.directory;

import org.jspecify.annotations.NullMarked;
