package dev.mcpbus.testing;

import dev.mcpbus.testing.TinyJson.Literal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The tools of a {@link ScriptedServer}. Numbers are arguments with their default:
 *
 * <ul>
 *   <li>{@code echo} (text=""): the text · {@code sleep} (ms=100): answers later · {@code big}
 *       (bytes=17825792): that many {@code x}
 *   <li>{@code error}: a result with {@code isError} · {@code rpc-error}: JSON-RPC error -32050
 *       with data
 *   <li>{@code crash}: halts with code 7, no answer · {@code exit}: answers, then exits 0 · {@code
 *       kill}: SIGKILLs itself · {@code hang}: never answers
 *   <li>{@code twice}: answers twice · {@code wrong-id}: answers id+1000000 · {@code null-id} ·
 *       {@code string-id}: answers its id as a string; these three never answer the call itself
 *   <li>{@code partial}: half an answer, then exits 0 · {@code invalid-utf8} · {@code batch} ·
 *       {@code two-on-a-line} · {@code junk-line}: a log line, then the answer · {@code unicode}:
 *       U+2028 and an escaped NUL in the text · {@code not-json}
 *   <li>{@code close-stdout}: closes it and lives on
 *   <li>{@code progress} (count=3): so many notifications for the call's token, then the answer
 *   <li>{@code changed} (count=1): so many tools/list_changed, then the answer
 *   <li>{@code logs} (count=1): so many log notifications, then the answer
 *   <li>{@code count}: how many calls of {@code echo}, {@code sleep} and {@code hang} arrived ·
 *       {@code cancelled-ids}: ids that were cancelled, with commas · {@code answers}: answers to
 *       the server's own requests, one per line · {@code pids}: own pid, then those of the family ·
 *       {@code env} (text): the value of that environment variable
 * </ul>
 */
final class ScriptedTools {

  static final List<String> NAMES =
      List.of(
          "echo",
          "sleep",
          "big",
          "error",
          "rpc-error",
          "crash",
          "exit",
          "kill",
          "hang",
          "twice",
          "wrong-id",
          "null-id",
          "string-id",
          "partial",
          "invalid-utf8",
          "batch",
          "two-on-a-line",
          "junk-line",
          "unicode",
          "not-json",
          "close-stdout",
          "progress",
          "changed",
          "logs",
          "count",
          "cancelled-ids",
          "answers",
          "pids",
          "env");

  private final ScriptedServer server;
  private final AtomicInteger calls = new AtomicInteger();
  private final ConcurrentLinkedQueue<String> cancelled = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<String> answers = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<String> family = new ConcurrentLinkedQueue<>();

  ScriptedTools(ScriptedServer server) {
    this.server = server;
  }

  void cancelled(@Nullable Object id) {
    cancelled.add(TinyJson.write(id));
  }

  void answered(Object message) {
    answers.add(TinyJson.write(message));
  }

  /** A child in the same group, and a daemon in a session of its own. */
  void startFamily() throws IOException {
    Process shell =
        new ProcessBuilder(
                "sh",
                "-c",
                // Both pids are written before the shell ends: later output would be lost.
                "daemon=$( (setsid sh -c 'echo $$; exec sleep 1000 >/dev/null' &) );"
                    + " sleep 1000 & echo $!; echo $daemon")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (var out = shell.inputReader()) {
      for (int i = 0; i < 2; i++) {
        family.add(String.valueOf(out.readLine()));
      }
    }
  }

  void call(@Nullable Object id, Map<?, ?> params) throws IOException {
    String name = TinyJson.string(params, "name", "");
    Map<?, ?> arguments = TinyJson.object(params, "arguments");
    String text = TinyJson.string(arguments, "text", "");
    int count = TinyJson.number(arguments, "count", name.equals("progress") ? 3 : 1);
    String done = "{\"content\":[{\"type\":\"text\",\"text\":\"done\"}]}";
    String whole =
        "{\"jsonrpc\":\"2.0\",\"id\":" + TinyJson.write(id) + ",\"result\":" + done + "}";
    switch (name) {
      case "echo" -> {
        calls.incrementAndGet();
        server.answerText(id, text);
      }
      case "sleep" -> {
        calls.incrementAndGet();
        int millis = TinyJson.number(arguments, "ms", 100);
        server.after(millis, () -> server.answerText(id, "slept"));
      }
      case "hang" -> calls.incrementAndGet();
      case "big" ->
          server.answerText(id, "x".repeat(TinyJson.number(arguments, "bytes", 17 << 20)));
      case "error" ->
          server.answer(id, "{\"content\":[{\"type\":\"text\",\"text\":\"no\"}],\"isError\":true}");
      case "rpc-error" ->
          server.send(
              "{\"jsonrpc\":\"2.0\",\"id\":"
                  + TinyJson.write(id)
                  + ",\"error\":{\"code\":-32050,\"message\":\"scripted\",\"data\":{\"why\":1}}}");
      case "crash" -> {
        System.err.println("scripted server: crashing as told");
        Runtime.getRuntime().halt(7);
      }
      case "exit" -> {
        server.send(whole);
        Runtime.getRuntime().halt(0);
      }
      case "kill" ->
          new ProcessBuilder("kill", "-9", Long.toString(ProcessHandle.current().pid())).start();
      case "twice" -> {
        server.send(whole);
        server.send(whole);
      }
      case "wrong-id" -> server.answer(new Literal(String.valueOf(1_000_000 + number(id))), done);
      case "null-id" -> server.answer(new Literal("null"), done);
      case "string-id" -> server.answer(TinyJson.write(id), done);
      case "partial" -> {
        server.raw(whole.substring(0, whole.length() / 2).getBytes(StandardCharsets.UTF_8));
        Runtime.getRuntime().halt(0);
      }
      case "invalid-utf8" ->
          server.raw(
              (whole.replace("done", "d\u00FFne") + "\n").getBytes(StandardCharsets.ISO_8859_1));
      case "batch" -> server.send("[" + whole + "]");
      case "two-on-a-line" -> server.send(whole + whole);
      case "junk-line" -> {
        server.send("scripted server: a log line where none belongs");
        server.send(whole);
      }
      case "not-json" -> server.send("{\"jsonrpc\": this is not JSON}");
      case "unicode" -> server.send(whole.replace("done", "a\u2028b\\u0000c"));
      case "close-stdout" -> System.out.close();
      case "progress" -> {
        Object token = TinyJson.object(params, "_meta").get("progressToken");
        for (int i = 1; i <= count && token != null; i++) {
          server.send(
              "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
                  + "{\"progressToken\":"
                  + TinyJson.write(token)
                  + ",\"progress\":"
                  + i
                  + ",\"total\":"
                  + count
                  + "}}");
        }
        server.send(whole);
      }
      case "changed" -> notifications(count, "tools/list_changed", "{}", whole);
      case "logs" ->
          notifications(count, "message", "{\"level\":\"info\",\"data\":\"log\"}", whole);
      case "count" -> server.answerText(id, Integer.toString(calls.get()));
      case "cancelled-ids" -> server.answerText(id, String.join(",", cancelled));
      case "answers" -> server.answerText(id, String.join("\n", answers));
      case "pids" ->
          server.answerText(id, ProcessHandle.current().pid() + " " + String.join(" ", family));
      case "env" -> server.answerText(id, String.valueOf(System.getenv(text)));
      default -> server.fail(id, -32602, "no tool " + name);
    }
  }

  private void notifications(int count, String what, String params, String whole) {
    for (int i = 0; i < count; i++) {
      server.send(
          "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
              + what
              + "\",\"params\":"
              + params
              + "}");
    }
    server.send(whole);
  }

  private static long number(@Nullable Object id) {
    return id instanceof Literal literal ? Long.parseLong(literal.text()) : 0;
  }
}
