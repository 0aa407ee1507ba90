/**
 * The only package beside {@code cluster.engine} that uses internal classes of Vert.x and Netty,
 * which an upgrade may change. Each class says why it has to, and has a test that fails clearly
 * after an upgrade. Two stand here for similar reasons: {@code PrivateFile} depends on the file
 * system, {@code ProcessSignals} on a module that a JVM may lack. Imports nothing of the project.
 */
@NullMarked
package dev.mcpbus.internals;

import org.jspecify.annotations.NullMarked;
