package dev.mcpbus.ai;

import dev.mcpbus.bus.McpFailure;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The vendors' formats of tools, function calls and results. Stateless. */
enum FunctionFormat {
  /** OpenAI chat completions, also used by many other vendors. */
  OPENAI("openai"),
  OPENAI_RESPONSES("openai-responses"),
  ANTHROPIC("anthropic"),
  GEMINI("gemini"),
  /** The Converse API of Amazon Bedrock. */
  BEDROCK("bedrock"),
  /** The Vercel AI SDK; its caller adds {@code jsonSchema(...)} and {@code execute}. */
  AI_SDK("ai-sdk");

  private final String word;

  FunctionFormat(String word) {
    this.word = word;
  }

  private VendorFormat vendor() {
    return switch (this) {
      case OPENAI -> new OpenAiChatFormat();
      case OPENAI_RESPONSES -> new OpenAiResponsesFormat();
      case ANTHROPIC -> new AnthropicFormat();
      case GEMINI -> new GeminiFormat();
      case BEDROCK -> new BedrockFormat();
      case AI_SDK -> new AiSdkFormat();
    };
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
    return vendor().tools(tools, options);
  }

  /**
   * Reads a model's call: one element of the vendor's response.
   *
   * @throws McpFailure {@code BAD_REQUEST} if it does not have this format
   */
  FunctionCall call(JsonObject call) {
    return vendor().call(call);
  }

  /** The result of {@code call} for the next request to the model. */
  JsonObject result(FunctionCall call, ToolOutput output) {
    return vendor().result(call, output);
  }
}
