/** Records of the MCP SDK made of what a server has answered; nothing else here needs the SDK. */
@NullMarked
package dev.mcpbus.client.sdk;

import org.jspecify.annotations.NullMarked;
