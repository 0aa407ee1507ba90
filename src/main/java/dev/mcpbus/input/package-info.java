/**
 * Questions of servers to their client: elicitation, sampling, roots. {@link
 * dev.mcpbus.input.InputVerticle} passes each question to the handler of that server, else to the
 * common handler, else parks it until a caller answers it on the bus. It also keeps the offers of
 * callers to answer, from which connections declare their capabilities to servers.
 */
@NullMarked
package dev.mcpbus.input;

import org.jspecify.annotations.NullMarked;
