/**
 * {@code mcpbus doctor}: examines servers step by step and names the one most probable cause of a
 * failure, with its remedy. {@code Doctor} leads; {@code EntryCheck}, {@code CommandCheck} and
 * {@code AddressCheck} look at what can be checked before a start, {@code ConnectionCheck} reads
 * what a small service with these servers says of them at its HTTP doors, and {@code OutputClues}
 * and {@code FailureClues} read causes from it. All of it blocks: it runs on threads of the command
 * alone.
 */
@NullMarked
package dev.mcpbus.cli.doctor;

import org.jspecify.annotations.NullMarked;
