package dev.mcpbus.directory;

/**
 * A resource of one server: two servers may offer the same URI.
 *
 * @param server the server's id
 */
public record ServerResource(String server, String uri) {}
