package dev.mcpbus.ai;

import dev.mcpbus.bus.McpFailure;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The vendors' formats of tools, function calls and results. Stateless. */
enum FunctionFormat {
  /** OpenAI chat completions, also used by many other vendors. */
  OPENAI("openai", new OpenAiChatFormat()),
  OPENAI_RESPONSES("openai-responses", new OpenAiResponsesFormat()),
  ANTHROPIC("anthropic", new AnthropicFormat()),
  GEMINI("gemini", new GeminiFormat()),
  /** The Converse API of Amazon Bedrock. */
  BEDROCK("bedrock", new BedrockFormat()),
  /** The Vercel AI SDK; its caller adds {@code jsonSchema(...)} and {@code execute}. */
  AI_SDK("ai-sdk", new AiSdkFormat());

  private final String word;
  private final VendorFormat vendor;

  FunctionFormat(String word, VendorFormat vendor) {
    this.word = word;
    this.vendor = vendor;
  }

  /** The name in requests. */
  String word() {
    return word;
  }

  /**
   * @throws McpFailure {@code BAD_REQUEST} if there is no such format
   */
  static FunctionFormat of(String word) {
    return Arrays.stream(values())
        .filter(form -> form.word.equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                McpFailure.badRequest(
                    "'form' must be one of "
                        + Arrays.stream(values())
                            .map(FunctionFormat::word)
                            .collect(Collectors.joining(", "))));
  }

  /**
   * The member {@code tools} of a request to the vendor: an array; for the AI SDK an object by
   * name.
   */
  Object tools(List<ModelTool> tools, FunctionOptions options) {
    return vendor.tools(tools, options);
  }

  /**
   * Reads a model's call: one element of the vendor's response.
   *
   * @throws McpFailure {@code BAD_REQUEST} if it does not have this format
   */
  FunctionCall call(JsonObject call) {
    return vendor.call(call);
  }

  /** The result of {@code call} for the next request to the model. */
  JsonObject result(FunctionCall call, ToolOutput output) {
    return vendor.result(call, output);
  }
}
