/**
 * Makes the authenticators with which mcpbus logs in to servers: OAuth tokens and headers helpers,
 * behind the transports' seam {@code Authenticator}.
 */
@NullMarked
package dev.mcpbus.hosting.credentials;

import org.jspecify.annotations.NullMarked;
