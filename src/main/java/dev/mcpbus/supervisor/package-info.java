/**
 * OTP supervision of verticles: child specifications, restart strategies, intensity, back-off.
 * Knows nothing of MCP.
 */
@NullMarked
package dev.mcpbus.supervisor;

import org.jspecify.annotations.NullMarked;
