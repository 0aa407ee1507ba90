/**
 * Inbound protection: the Host and Origin guard of every HTTP route, who calls ({@link
 * dev.mcpbus.security.AdmissionControl}) and who may do what ({@link
 * dev.mcpbus.security.AccessPolicy}), the audit log. Outbound: headers that a command prints;
 * {@code security.oauth} has the OAuth client.
 */
@NullMarked
package dev.mcpbus.security;

import org.jspecify.annotations.NullMarked;
