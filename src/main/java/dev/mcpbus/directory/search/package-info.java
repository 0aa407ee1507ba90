/** Search over all tools: an index of Lucene, which works on worker threads. */
@NullMarked
package dev.mcpbus.directory.search;

import org.jspecify.annotations.NullMarked;
