/**
 * What clients of one era alone know: members of its messages, its handshake, its form of a task.
 * {@code Initialize} and {@code Discover} write what a client of their era receives. No class here
 * has state.
 */
@NullMarked
package dev.mcpbus.gateway.dialect;

import org.jspecify.annotations.NullMarked;
