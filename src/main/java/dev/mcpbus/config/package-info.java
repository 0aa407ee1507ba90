/**
 * Reads and checks configuration files and reports every error at once. Text becomes one small tree
 * with lines ({@code ConfigNode}), whatever its format; the tree becomes definitions ({@code
 * ConfigReader}); a watcher tells what a changed file means for what is running. Option records
 * live beside what they configure.
 */
@NullMarked
package dev.mcpbus.config;

import org.jspecify.annotations.NullMarked;
