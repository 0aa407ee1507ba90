package embedding;

import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.service.AiServices;
import dev.mcpbus.McpBus;
import dev.mcpbus.Servers;
import dev.mcpbus.ai.FrameworkOptions;
import dev.mcpbus.ai.langchain4j.McpBusToolProvider;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** An assistant whose model calls a tool of mcpbus; the model is a script. */
public final class Program {

  private Program() {}

  /** What a program has. */
  interface Assistant {
    String chat(String question);
  }

  /** Calls one tool, then repeats its answer. */
  private static final class Script implements ChatModel {

    @Override
    public ChatResponse doChat(ChatRequest request) {
      List<ChatMessage> messages = request.messages();
      AiMessage answer =
          messages.get(messages.size() - 1) instanceof ToolExecutionResultMessage result
              ? AiMessage.from("the tool said: " + result.text())
              : AiMessage.from(
                  ToolExecutionRequest.builder()
                      .id("1")
                      .name("echo__echo")
                      .arguments("{\"call\": \"embedded\"}")
                      .build());
      return ChatResponse.builder().aiMessage(answer).build();
    }
  }

  public static void main(String[] args) throws Exception {
    Vertx vertx = Vertx.vertx();
    McpBus.start(vertx, McpBus.Options.of().withServer("echo", Servers.stdio("sh").args(args[0])))
        .await(60, TimeUnit.SECONDS);
    Assistant assistant =
        AiServices.builder(Assistant.class)
            .chatModel(new Script())
            .toolProvider(McpBusToolProvider.create(vertx, FrameworkOptions.DEFAULT))
            .build();
    System.out.println(assistant.chat("Say something"));
    vertx.close().await(60, TimeUnit.SECONDS);
  }
}
