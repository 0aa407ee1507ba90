/**
 * The lists of all servers, kept once in one immutable snapshot, and views that put names and
 * policy on top: {@code ViewList} what a client sees of one kind, {@code ViewUris} which server its
 * URIs lead to. One verticle writes the snapshot; every thread may read it. {@code policy} says
 * what a caller may use; {@code PermittedSearch} stands here because it reads the search page by
 * page.
 */
@NullMarked
package dev.mcpbus.directory;

import org.jspecify.annotations.NullMarked;
