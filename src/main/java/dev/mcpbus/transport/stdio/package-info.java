/**
 * MCP over the stdin and stdout of a child process. On Linux a child needs no thread of its own:
 * one thread waits for all children, one starts them ({@code
 * src/docs/decisions/0002-child-processes.md}). No process outlives its channel or the JVM.
 */
@NullMarked
package dev.mcpbus.transport.stdio;

import org.jspecify.annotations.NullMarked;
