/**
 * Reads and checks configuration files and reports all problems at once. A parser turns the text,
 * in any format, into a tree with line numbers ({@code ConfigNode}); {@code ConfigReader} turns the
 * tree into definitions; {@code ConfigWatcher} compares a changed file with what runs.
 */
@NullMarked
package dev.mcpbus.config.read;

import org.jspecify.annotations.NullMarked;
