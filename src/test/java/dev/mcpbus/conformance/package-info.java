/** What the conformance suite of MCP runs against. */
@org.jspecify.annotations.NullMarked
package dev.mcpbus.conformance;
