/**
 * OTP supervision of verticles: child specifications, restart strategies, intensity, back-off. This
 * package contains nothing of MCP.
 */
@NullMarked
package dev.mcpbus.supervisor;

import org.jspecify.annotations.NullMarked;
