package dev.mcpbus.ai;

/**
 * How functions are written.
 *
 * @param strict OpenAI alone: ask for strict arguments where the schema allows it as it is
 * @param serverIds adds {@code _serverId} to every tool; vendors refuse members that they do not
 *     know, so take it off before sending
 */
public record FunctionOptions(boolean strict, boolean serverIds) {

  public static final FunctionOptions DEFAULT = new FunctionOptions(false, false);
}
