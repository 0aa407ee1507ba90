/**
 * The state of clients: sessions of the {@code initialize} era, and calls of {@code discover}
 * clients that wait for their clients ({@code ParkedCall}). Everything here is confined to the
 * context of a {@code SessionHost}.
 */
@NullMarked
package dev.mcpbus.gateway.session;

import org.jspecify.annotations.NullMarked;
