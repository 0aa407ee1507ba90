/** HTTP in: REST, JSON-RPC and health over the event bus. */
@NullMarked
package dev.mcpbus.bridge;

import org.jspecify.annotations.NullMarked;
