/**
 * The soak: a service of the jar under every kind of client, good and bad, for as long as wanted;
 * what it holds is counted between times and must not grow with the work done. Entry point: {@link
 * dev.mcpbus.soak.Soak}.
 */
package dev.mcpbus.soak;
