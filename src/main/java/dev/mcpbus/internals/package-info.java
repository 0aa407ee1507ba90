/**
 * What an upgrade of Vert.x or Netty may move: the only package beside {@code cluster.engine} that
 * touches classes which they keep for themselves. Each class says why it has to, and has a test
 * that fails clearly after an upgrade. {@code PrivateFile} stands here for the same reason: what a
 * file system can do. Knows nothing of MCP.
 */
@NullMarked
package dev.mcpbus.internals;

import org.jspecify.annotations.NullMarked;
