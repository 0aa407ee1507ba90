/**
 * Examines a server step by step and names the one most probable cause of a failure, with its
 * remedy: for {@code mcpbus doctor} and for {@code mcp.servers.examine}. {@code Examination} begins
 * with what can be checked before a start ({@code EntryCheck}, {@code CommandCheck}, {@code
 * AddressCheck}), {@code ConnectionCheck} reads what a copy of the connection says, and {@code
 * OutputClues} and {@code FailureClues} read causes from it. All of it blocks: it runs on threads
 * of its caller, never on an event loop.
 */
@NullMarked
package dev.mcpbus.doctor;

import org.jspecify.annotations.NullMarked;
