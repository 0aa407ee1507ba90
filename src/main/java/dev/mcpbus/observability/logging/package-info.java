/**
 * The log of the service: its two forms, text and JSON lines, and the levels of its loggers. All
 * classes but {@link dev.mcpbus.observability.logging.LogLevels} need Logback.
 */
@NullMarked
package dev.mcpbus.observability.logging;

import org.jspecify.annotations.NullMarked;
