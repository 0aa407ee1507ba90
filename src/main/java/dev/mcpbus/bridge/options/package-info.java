/**
 * What configuration says about the HTTP bridge: address, limits, TLS. Records that configuration
 * fills in and the bridge reads; they hold no behaviour.
 */
@NullMarked
package dev.mcpbus.bridge.options;

import org.jspecify.annotations.NullMarked;
