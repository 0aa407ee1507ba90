/**
 * One JSON-RPC message per line over TCP, TLS or a Unix domain socket: the framing of stdio without
 * the child process. One {@code SocketChannel} is one connection; what is sent within one task goes
 * out in one write.
 */
@NullMarked
package dev.mcpbus.transport.socket;

import org.jspecify.annotations.NullMarked;
