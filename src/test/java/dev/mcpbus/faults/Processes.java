package dev.mcpbus.faults;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Real processes, by pid and by a mark in their environment. */
final class Processes {

  private Processes() {}

  /** True while the process runs; a zombie that nobody reaps does not. */
  static boolean running(long pid) {
    try {
      String stat =
          Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
      return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
    } catch (IOException e) {
      return false;
    }
  }

  /** Pids of all that carry {@code name=value} in their environment. */
  static List<Long> marked(String name, String value) {
    String mark = "\0" + name + "=" + value + "\0";
    List<Long> found = new ArrayList<>();
    try (Stream<Path> all = Files.list(Path.of("/proc"))) {
      for (Path process : all.toList()) {
        String number = process.getFileName().toString();
        if (number.chars().allMatch(Character::isDigit) && environment(process).contains(mark)) {
          found.add(Long.parseLong(number));
        }
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return found.stream().filter(Processes::running).toList();
  }

  private static String environment(Path process) {
    try {
      return "\0" + Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1);
    } catch (IOException ended) {
      return "";
    }
  }

  /** Open files of this JVM. */
  static int descriptors() {
    String[] open = Path.of("/proc/self/fd").toFile().list();
    return open == null ? -1 : open.length;
  }

  static void kill(long pid) {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
  }

  static void signal(String signal, long pid) throws IOException, InterruptedException {
    int exit = new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start().waitFor();
    if (exit != 0) {
      throw new IllegalStateException("kill -" + signal + " " + pid + " failed");
    }
  }
}
