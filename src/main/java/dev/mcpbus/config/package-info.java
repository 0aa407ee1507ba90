/**
 * Reads and checks configuration files and reports every error at once. Option records live beside
 * what they configure.
 */
@NullMarked
package dev.mcpbus.config;

import org.jspecify.annotations.NullMarked;
