package dev.mcpbus.transparency;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A dialog with a process of one's own, line by line. */
final class StdioDialog extends Dialog {

  private final Process process;
  private final OutputStream in;

  /**
   * @param entry as {@code mcpServers} has it: {@code command}, {@code args}, {@code env}, {@code
   *     cwd}
   */
  StdioDialog(JsonObject entry, boolean discover) {
    super(discover);
    List<String> command = new ArrayList<>(List.of(entry.getString("command")));
    entry.getJsonArray("args", new JsonArray()).forEach(arg -> command.add(String.valueOf(arg)));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(new File(entry.getString("cwd", ".")))
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    entry
        .getJsonObject("env", new JsonObject())
        .forEach(one -> builder.environment().put(one.getKey(), String.valueOf(one.getValue())));
    try {
      process = builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    in = process.getOutputStream();
    Thread reader =
        new Thread(
            () ->
                process
                    .inputReader(StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> line.startsWith("{"))
                    .forEach(this::receive),
            "stdio-dialog");
    reader.setUncaughtExceptionHandler((dead, closed) -> {}); // the process was ended
    reader.setDaemon(true);
    reader.start();
  }

  @Override
  protected synchronized void transmit(JsonObject message) {
    try {
      in.write((message.encode() + "\n").getBytes(StandardCharsets.UTF_8));
      in.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
