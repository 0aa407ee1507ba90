/**
 * The configuration of the HTTP bridge: address, limits, TLS. Configuration fills these records,
 * and the bridge reads them.
 */
@NullMarked
package dev.mcpbus.bridge.options;

import org.jspecify.annotations.NullMarked;
