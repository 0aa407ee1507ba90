package dev.mcpbus.cli;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code answer}: lists what servers ask, and answers one question. */
@Command(
    name = "answer",
    sortOptions = false,
    description = {
      "Lists and answers the questions of servers.",
      "Fields of a form are given as key=value; on a terminal mcpbus asks for those that are "
          + "missing."
    })
final class AnswerCommand extends ServiceCommand {

  private static final String ELICITATION = "elicitation/create";

  /** How a person refuses. */
  private static final class AnswerRefusal {
    @Option(names = "--decline", description = "Say no.")
    private boolean decline;

    @SuppressWarnings("UnusedVariable") // what is no decline is a cancel
    @Option(names = "--cancel", description = "Give no answer.")
    private boolean cancel;
  }

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "QUESTION",
      description = "The question, by its key or the beginning of it.")
  private @Nullable String wanted;

  @Parameters(index = "1..*", paramLabel = "key=value", description = "Fields of the form.")
  private List<String> words = List.of();

  @ArgGroup(exclusive = true)
  private @Nullable AnswerRefusal refusal;

  @Option(
      names = {"-a", "--args"},
      paramLabel = "FILE",
      description = "The whole MCP result as JSON in a file; - is stdin.")
  private @Nullable Path file;

  AnswerCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected ExitCode run(ServiceClient client) {
    JsonObject pending = client.get("/api/inputs");
    String key = wanted;
    if (key == null) {
      return shown(pending, () -> list(pending));
    }
    JsonObject question = find(ContentText.objects(pending, "questions"), key);
    String id = ContentText.text(question, "question");
    return shown(
        client.post("/api/inputs/" + ServiceClient.segment(id), result(question)),
        () -> output().line("The question " + id + " is answered."));
  }

  private void list(JsonObject pending) {
    TextTable table = new TextTable("QUESTION", "SERVER", "FOR", "ASKS");
    for (JsonObject question : ContentText.objects(pending, "questions")) {
      table.row(
          question.getValue("question"),
          question.getValue("id"),
          question.getValue("principal"),
          asks(question));
    }
    if (table.isEmpty()) {
      output().note("No question waits for an answer.");
    } else {
      output().table(table);
    }
  }

  private static JsonObject params(JsonObject question) {
    return question.getValue("params") instanceof JsonObject params ? params : new JsonObject();
  }

  private static String asks(JsonObject question) {
    String message = ContentText.text(params(question), "message");
    return message.isEmpty() ? ContentText.text(question, "method") : message;
  }

  private static JsonObject find(List<JsonObject> questions, String key) {
    List<JsonObject> found =
        questions.stream()
            .filter(each -> ContentText.text(each, "question").startsWith(key))
            .toList();
    if (found.size() == 1) {
      return found.get(0);
    }
    throw new CommandFailure(
        ExitCode.NOT_FOUND,
        "UNKNOWN_QUESTION",
        found.isEmpty()
            ? "no question \"" + key + "\" waits for an answer; \"mcpbus answer\" lists them"
            : "several questions begin with \"" + key + "\"; write more of it");
  }

  private JsonObject result(JsonObject question) {
    AnswerRefusal no = refusal;
    if (no != null) {
      return new JsonObject().put("action", no.decline && !no.cancel ? "decline" : "cancel");
    }
    Path from = file;
    if (from != null) {
      return ArgumentWords.read(context(), from);
    }
    if (!ELICITATION.equals(question.getValue("method"))) {
      throw CommandFailure.usage(
          "the server asks "
              + question.getValue("method")
              + "; give the MCP result with --args FILE");
    }
    JsonObject params = params(question);
    if ("url".equals(params.getValue("mode"))) {
      output().note(asks(question));
      output().note("Open " + ContentText.text(params, "url") + " in a browser, if you trust it.");
      return new JsonObject().put("action", "accept");
    }
    return new JsonObject().put("action", "accept").put("content", content(question, params));
  }

  private JsonObject content(JsonObject question, JsonObject params) {
    List<ToolArgument> fields =
        ToolArgument.of(
            params.getValue("requestedSchema") instanceof JsonObject schema
                ? schema
                : new JsonObject());
    JsonObject content = ArgumentWords.typed("the form", words, fields, false);
    if (output().terminal().out() && output().terminal().err()) {
      output().note(ContentText.text(question, "id") + " asks: " + asks(question));
      fields.stream()
          .filter(field -> !content.containsKey(field.name()))
          .forEach(field -> ask(field, content));
    }
    return content;
  }

  /** Asks until the word fits; an empty word leaves out what is not needed. */
  private void ask(ToolArgument field, JsonObject content) {
    while (true) {
      Object standard = field.schema().getValue("default");
      output()
          .prompt(
              field.name()
                  + " ("
                  + field.typeName()
                  + (standard == null
                      ? field.required() ? "" : ", may be empty"
                      : ", default " + standard)
                  + "): ");
      String word = line();
      if (word.isEmpty() && (standard != null || !field.required())) {
        return;
      }
      try {
        content.put(field.name(), field.value(word));
        return;
      } catch (CommandFailure wrong) {
        output().note(String.valueOf(wrong.getMessage()));
      }
    }
  }

  /** One line of stdin; ends the command where there is none. */
  private String line() {
    StringBuilder line = new StringBuilder();
    try {
      for (int c = context().in().read(); c != '\n'; c = context().in().read()) {
        if (c < 0 || line.length() > 10_000) {
          throw new CommandFailure(
              ExitCode.UNEXPECTED, "NO_ANSWER", "no answer was given at " + Instant.now());
        }
        line.append((char) c);
      }
    } catch (IOException e) {
      throw CommandFailure.usage("stdin cannot be read");
    }
    byte[] bytes = line.toString().getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
    return new String(bytes, java.nio.charset.Charset.defaultCharset()).strip();
  }
}
