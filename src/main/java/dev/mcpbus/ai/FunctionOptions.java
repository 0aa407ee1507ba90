package dev.mcpbus.ai;

/**
 * Options of the vendors' formats. Immutable.
 *
 * @param strict OpenAI only: requests strict arguments for schemas that allow it unchanged
 * @param serverIds adds {@code _serverId} to every tool; vendors refuse unknown members, so remove
 *     it before sending
 */
record FunctionOptions(boolean strict, boolean serverIds) {

  static final FunctionOptions DEFAULT = new FunctionOptions(false, false);
}
