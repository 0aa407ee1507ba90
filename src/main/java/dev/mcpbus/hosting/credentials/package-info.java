/**
 * Makes what authenticates mcpbus at a server: OAuth tokens and headers helpers, behind the
 * transport's seam {@code Authenticator}.
 */
@NullMarked
package dev.mcpbus.hosting.credentials;

import org.jspecify.annotations.NullMarked;
