/**
 * {@code mcpbus doctor}: leads the examinations of {@code dev.mcpbus.doctor}. {@code Doctor} starts
 * one small service inside the process for the servers that are left after the first steps, and
 * {@code ReportText} prints what was found. All of it blocks: it runs on threads of the command
 * alone.
 */
@NullMarked
package dev.mcpbus.cli.doctor;

import org.jspecify.annotations.NullMarked;
