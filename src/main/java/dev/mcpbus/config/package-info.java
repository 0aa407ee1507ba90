/**
 * Reads and checks configuration files and reports all problems at once. A parser turns the text,
 * in any format, into a tree with line numbers ({@code ConfigNode}); {@code ConfigReader} turns the
 * tree into definitions; {@code ConfigWatcher} compares a changed file with what runs. Each record
 * of options belongs to the package that it configures; {@code ServerDefinition}, {@code
 * ClusterOptions} and {@code RpcLogMode} stand here, because they configure packages above this
 * one.
 */
@NullMarked
package dev.mcpbus.config;

import org.jspecify.annotations.NullMarked;
