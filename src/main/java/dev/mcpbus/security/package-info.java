/**
 * Inbound protection. {@link dev.mcpbus.security.OriginGuard} checks Host and Origin of every HTTP
 * request, {@link dev.mcpbus.security.AdmissionControl} authenticates the caller, {@link
 * dev.mcpbus.security.AccessPolicy} decides what it may do, {@link dev.mcpbus.security.Audit} logs
 * it. Outbound: {@code security.oauth}, the OAuth client.
 */
@NullMarked
package dev.mcpbus.security;

import org.jspecify.annotations.NullMarked;
