/**
 * What servers ask of their client: elicitation, sampling, roots. One actor passes each question to
 * the handler of that server, else to the common one, else keeps it for a while until somebody
 * answers it on the bus. It also knows what callers offer to answer, so that servers are told.
 */
@NullMarked
package dev.mcpbus.input;

import org.jspecify.annotations.NullMarked;
