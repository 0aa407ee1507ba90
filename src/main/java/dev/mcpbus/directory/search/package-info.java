/** The search over all tools: a Lucene index, which worker threads build and read. */
@NullMarked
package dev.mcpbus.directory.search;

import org.jspecify.annotations.NullMarked;
