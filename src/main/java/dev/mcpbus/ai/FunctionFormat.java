package dev.mcpbus.ai;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** The vendors' forms of tools, function calls and results. Pure. */
public enum FunctionFormat {
  /** OpenAI chat completions, which many others copy. */
  OPENAI("openai"),
  OPENAI_RESPONSES("openai-responses"),
  ANTHROPIC("anthropic"),
  GEMINI("gemini"),
  /** The Vercel AI SDK; its caller puts {@code jsonSchema(...)} and {@code execute} around it. */
  AI_SDK("ai-sdk");

  private final String word;

  FunctionFormat(String word) {
    this.word = word;
  }

  private VendorFormat dialect() {
    return switch (this) {
      case OPENAI -> new OpenAiChatFormat();
      case OPENAI_RESPONSES -> new OpenAiResponsesFormat();
      case ANTHROPIC -> new AnthropicFormat();
      case GEMINI -> new GeminiFormat();
      case AI_SDK -> new AiSdkFormat();
    };
  }

  /** As callers write it. */
  public String word() {
    return word;
  }

  /**
   * @throws McpFailure {@code BAD_REQUEST}
   */
  public static FunctionFormat of(String word) {
    return Arrays.stream(values())
        .filter(form -> form.word.equals(word))
        .findFirst()
        .orElseThrow(
            () ->
                McpFailure.notSent(
                    FailureCode.BAD_REQUEST,
                    "'form' must be one of "
                        + Arrays.stream(values())
                            .map(FunctionFormat::word)
                            .collect(Collectors.joining(", "))));
  }

  /**
   * What goes into the member {@code tools} of the vendor's request: an array, for the AI SDK an
   * object by name.
   */
  public Object tools(List<ModelTool> tools, FunctionOptions options) {
    return dialect().tools(tools, options);
  }

  /**
   * A model's call, one element as the vendor's answer has it.
   *
   * @throws McpFailure {@code BAD_REQUEST} where it is not of this form
   */
  public FunctionCall call(JsonObject call) {
    return dialect().call(call);
  }

  /** What the next request to the model gets as the answer of {@code call}. */
  public JsonObject result(FunctionCall call, ToolOutput output) {
    return dialect().result(call, output);
  }
}
