/**
 * The commands of {@code mcpbus}. A command is a client of a running mcpbus over HTTP, {@link
 * dev.mcpbus.cli.ServiceClient}; where none runs, it starts one inside this process through {@link
 * dev.mcpbus.cli.ServiceLauncher}, which the root implements. Everything runs on the main thread.
 */
@NullMarked
package dev.mcpbus.cli;

import org.jspecify.annotations.NullMarked;
