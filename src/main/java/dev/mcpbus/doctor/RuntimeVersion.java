package dev.mcpbus.doctor;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Asks well-known runtimes for their version; starts no other program. Blocks for 2 s at most. */
final class RuntimeVersion {

  /**
   * They answer at once and do nothing else. npx needs half a second, and its version says little.
   */
  private static final Pattern KNOWN =
      Pattern.compile("node|deno|bun|uvx?|python[\\d.]*|docker|podman|ruby|java");

  private static final Pattern NUMBER = Pattern.compile("(?<!\\d)v?\\d++(?:\\.\\d++)++\\S{0,20}");
  private static final int MAX_BYTES = 1_024;

  private RuntimeVersion() {}

  /** For example {@code v22.1.0}; empty where it is not known. */
  static String of(Path program, Map<String, String> env) {
    String name = String.valueOf(program.getFileName());
    if (!KNOWN.matcher(name).matches()) {
      return "";
    }
    ProcessBuilder builder =
        new ProcessBuilder(program.toString(), name.equals("java") ? "-version" : "--version")
            .redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(env);
    try {
      Process process = builder.start();
      process.getOutputStream().close();
      if (!process.waitFor(2, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        return "";
      }
      byte[] said = process.getInputStream().readNBytes(MAX_BYTES);
      Matcher number = NUMBER.matcher(new String(said, StandardCharsets.UTF_8));
      return number.find() ? number.group().replaceAll("(?<![\",;)])[\",;)]+$", "") : "";
    } catch (IOException e) {
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }
}
