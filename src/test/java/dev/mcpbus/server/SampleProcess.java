package dev.mcpbus.server;

import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;

/** The sample as a process of its own, on stdin and stdout. */
public final class SampleProcess {

  private SampleProcess() {}

  public static void main(String[] args) {
    PrintStream messages = System.out;
    System.setOut(System.err);
    Vertx vertx = Vertx.vertx();
    StdioServer.serve(vertx, new Sample().server, System.in, messages)
        .eventually(vertx::close)
        .onComplete(end -> System.exit(end.succeeded() ? 0 : 1));
  }

  static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  static List<String> arguments() {
    return List.of(
        "-XX:TieredStopAtLevel=1",
        "-cp",
        System.getProperty("java.class.path"),
        SampleProcess.class.getName());
  }

  /** As a configuration has it. */
  static JsonObject entry() {
    return new JsonObject().put("command", java()).put("args", new JsonArray(arguments()));
  }
}
