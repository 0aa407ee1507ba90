/**
 * A checked configuration, its problems, and what a reload has to do. {@code config.read} makes it
 * of files, {@code config.paste} previews a text that a person pastes. Each record of options
 * belongs to the package that it configures; {@code ServerDefinition}, {@code ClusterOptions} and
 * {@code RpcLogMode} stand here, because they configure packages above this one.
 */
@NullMarked
package dev.mcpbus.config;

import org.jspecify.annotations.NullMarked;
