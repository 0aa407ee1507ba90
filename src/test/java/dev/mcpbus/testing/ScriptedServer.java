package dev.mcpbus.testing;

import dev.mcpbus.testing.TinyJson.Literal;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * An MCP server ({@code initialize} era) on stdin and stdout that behaves well, or badly in one
 * named way. Needs nothing but the JDK: {@code java -cp target/test-classes
 * dev.mcpbus.testing.ScriptedServer <behaviour>}; see {@link #command}.
 *
 * <p><b>Behaviours</b> (one per server):
 *
 * <ul>
 *   <li>{@code good}: none of the below
 *   <li>{@code exit-at-start}: a line on stderr, then exit code 3, before it reads anything
 *   <li>{@code hang}: reads, never answers, not even {@code initialize}
 *   <li>{@code ignore-end}: outlives the end of stdin and SIGTERM
 *   <li>{@code family}: starts a {@code sleep} and, forked twice with a session of its own, another
 *       one; tool {@code pids} tells their pids
 *   <li>{@code stderr-flood}: writes to stderr without end · {@code stderr-closed}: closes it
 *   <li>{@code junk}: a log line on stdout before each answer · {@code junk-flood}: 2,000 log lines
 *       before its first
 *   <li>{@code tolerated}: byte order mark, CRLF, blank lines
 *   <li>{@code slow}: one byte of output a second, from the first tools/call on
 *   <li>{@code stops-reading}: reads nothing more after {@code notifications/initialized}
 *   <li>{@code version}: offers protocol version 1999-01-01
 *   <li>{@code lying}: declares prompts, resources and completions, and answers -32601 to them
 *   <li>{@code toolless}: declares no capability
 *   <li>{@code cursor-repeats}: tools/list gives the same nextCursor for ever · {@code
 *       cursor-endless}: always a new one · {@code cursor-empty}: a page with the cursor "", then
 *       the last page
 *   <li>{@code duplicate-tools}: {@code echo} twice · {@code strange-names}: blanks, emoji, right
 *       to left, 200 characters, dots, double underscores
 *   <li>{@code asks}: sends a request {@code server/unheard-of} (id "q-1") once initialized; tool
 *       {@code answers} tells what came back
 * </ul>
 *
 * <p><b>Tools</b> (every server; result text in {@code content[0].text}): see {@link
 * ScriptedTools}.
 */
public final class ScriptedServer {

  private final String behaviour;
  private final ScriptedTools tools;
  private final Timer later = new Timer("later", true);
  private boolean slow;
  private boolean first = true;
  private int page;

  private ScriptedServer(String behaviour) {
    this.behaviour = behaviour;
    this.tools = new ScriptedTools(this);
  }

  /** The command line of a server, the program first. */
  public static List<String> command(String behaviour) {
    String classes =
        Path.of(
                URI.create(
                    ScriptedServer.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toString()))
            .toString();
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "-Xshare:auto",
        "-Xmx512m",
        "-cp",
        classes,
        ScriptedServer.class.getName(),
        behaviour);
  }

  public static void main(String[] args) throws IOException, InterruptedException {
    new ScriptedServer(args.length == 0 ? "good" : args[0]).run();
  }

  private void run() throws IOException, InterruptedException {
    atStart();
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (behaviour.equals("hang") || line.isBlank()) {
        continue;
      }
      Object message = TinyJson.parse(line);
      receive(message);
      if (behaviour.equals("stops-reading")
          && TinyJson.string(message, "method", "").equals("notifications/initialized")) {
        forEver();
      }
    }
    if (behaviour.equals("ignore-end")) {
      forEver();
    }
  }

  private void atStart() throws IOException {
    switch (behaviour) {
      case "exit-at-start" -> {
        System.err.println("scripted server: no licence found");
        System.exit(3);
      }
      case "ignore-end" ->
          Runtime.getRuntime().addShutdownHook(new Thread(ScriptedServer::forEver));
      case "family" -> tools.startFamily();
      case "stderr-flood" -> {
        Thread flood =
            new Thread(
                () -> {
                  while (!System.err.checkError()) {
                    System.err.println("flood flood flood flood flood flood flood flood flood");
                  }
                });
        flood.setDaemon(true);
        flood.start();
      }
      case "stderr-closed" -> System.err.close();
      default -> {}
    }
  }

  static void forEver() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void receive(Object message) throws IOException {
    Object id = ((Map<?, ?>) message).get("id");
    String method = TinyJson.string(message, "method", "");
    Map<?, ?> params = TinyJson.object(message, "params");
    switch (method) {
      case "initialize" -> answer(id, initialize(params));
      case "notifications/initialized" -> {
        if (behaviour.equals("asks")) {
          send("{\"jsonrpc\":\"2.0\",\"id\":\"q-1\",\"method\":\"server/unheard-of\"}");
        }
      }
      case "notifications/cancelled" -> tools.cancelled(params.get("requestId"));
      case "ping" -> answer(id, "{}");
      case "tools/list" -> answer(id, list(TinyJson.string(params, "cursor", "")));
      case "tools/call" -> {
        slow = behaviour.equals("slow");
        tools.call(id, params);
      }
      case "" -> tools.answered(message);
      default -> {
        if (id != null) {
          fail(id, -32601, "no method " + method);
        }
      }
    }
  }

  private String initialize(Map<?, ?> params) {
    String version =
        behaviour.equals("version")
            ? "1999-01-01"
            : TinyJson.string(params, "protocolVersion", "2025-11-25");
    String capabilities =
        switch (behaviour) {
          case "lying" ->
              "{\"tools\":{\"listChanged\":true},\"prompts\":{},\"resources\":{\"subscribe\":true},"
                  + "\"completions\":{},\"logging\":{}}";
          case "toolless" -> "{}";
          default -> "{\"tools\":{\"listChanged\":true}}";
        };
    return "{\"protocolVersion\":"
        + TinyJson.quote(version)
        + ",\"capabilities\":"
        + capabilities
        + ",\"serverInfo\":{\"name\":\"scripted\",\"version\":\"1.0.0\"}}";
  }

  private String list(String cursor) {
    List<String> names = new ArrayList<>(ScriptedTools.NAMES);
    String next = "";
    switch (behaviour) {
      case "duplicate-tools" -> names.add("echo");
      case "strange-names" ->
          names.addAll(
              List.of(
                  "with blank",
                  "\uD83D\uDE80 rocket",
                  "\u05E9\u05DC\u05D5\u05DD",
                  "x".repeat(200),
                  "a.b.c",
                  "a__b"));
      case "cursor-repeats" -> next = ",\"nextCursor\":\"again\"";
      case "cursor-endless" -> next = ",\"nextCursor\":\"page-" + ++page + "\"";
      case "cursor-empty" -> {
        next = page++ == 0 ? ",\"nextCursor\":\"\"" : "";
        names = next.isEmpty() ? List.of("last-page") : names;
      }
      default -> {}
    }
    if (behaviour.equals("cursor-endless") && !cursor.isEmpty()) {
      names = List.of("tool-of-" + cursor);
    }
    return "{\"tools\":["
        + String.join(",", names.stream().map(ScriptedServer::tool).toList())
        + "]"
        + next
        + "}";
  }

  private static String tool(String name) {
    return "{\"name\":" + TinyJson.quote(name) + ",\"inputSchema\":{\"type\":\"object\"}}";
  }

  void answer(@Nullable Object id, String result) {
    send("{\"jsonrpc\":\"2.0\",\"id\":" + TinyJson.write(id) + ",\"result\":" + result + "}");
  }

  void answerText(@Nullable Object id, String text) {
    answer(id, "{\"content\":[{\"type\":\"text\",\"text\":" + TinyJson.quote(text) + "}]}");
  }

  void fail(@Nullable Object id, int code, String message) {
    send(
        "{\"jsonrpc\":\"2.0\",\"id\":"
            + TinyJson.write(id == null ? new Literal("null") : id)
            + ",\"error\":{\"code\":"
            + code
            + ",\"message\":"
            + TinyJson.quote(message)
            + "}}");
  }

  void after(long millis, Runnable action) {
    later.schedule(
        new TimerTask() {
          @Override
          public void run() {
            action.run();
          }
        },
        millis);
  }

  /** One line, dressed as the behaviour wants it. */
  void send(String message) {
    StringBuilder out = new StringBuilder();
    if (behaviour.equals("junk") || (behaviour.equals("junk-flood") && first)) {
      int count = behaviour.equals("junk") ? 1 : 20_000;
      out.append("[INFO] scripted server is about to answer\n".repeat(count));
    }
    if (behaviour.equals("tolerated")) {
      out.append(first ? "\uFEFF" : "\r\n  \n").append(message).append("\r\n\r\n");
    } else {
      out.append(message).append('\n');
    }
    first = false;
    raw(out.toString().getBytes(StandardCharsets.UTF_8));
  }

  synchronized void raw(byte[] bytes) {
    if (!slow) {
      System.out.write(bytes, 0, bytes.length);
      System.out.flush();
      return;
    }
    for (byte b : bytes) {
      System.out.write(b);
      System.out.flush();
      LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
    }
  }
}
