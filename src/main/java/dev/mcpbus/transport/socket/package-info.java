/**
 * One JSON-RPC message per line over TCP, TLS or a Unix domain socket: the framing of stdio without
 * the child process. One {@code SocketChannel} is one connection; messages that are sent within one
 * task of the event loop are written together.
 */
@NullMarked
package dev.mcpbus.transport.socket;

import org.jspecify.annotations.NullMarked;
