/**
 * The only package beside {@code cluster.engine} that uses internal classes of Vert.x and Netty,
 * which an upgrade may change. Each class says why it has to, and has a test that fails clearly
 * after an upgrade. {@code PrivateFile} stands here for a similar reason: it depends on the file
 * system. Imports nothing of the project.
 */
@NullMarked
package dev.mcpbus.internals;

import org.jspecify.annotations.NullMarked;
