package dev.mcpbus.transport.stdio;

import java.util.Map;

/** Turns a status of {@code waitpid} into text. Stateless. */
final class ExitStatus {

  private static final Map<Integer, String> SIGNALS =
      Map.ofEntries(
          Map.entry(1, "SIGHUP"),
          Map.entry(2, "SIGINT"),
          Map.entry(3, "SIGQUIT"),
          Map.entry(4, "SIGILL"),
          Map.entry(5, "SIGTRAP"),
          Map.entry(6, "SIGABRT"),
          Map.entry(7, "SIGBUS"),
          Map.entry(8, "SIGFPE"),
          Map.entry(9, "SIGKILL"),
          Map.entry(10, "SIGUSR1"),
          Map.entry(11, "SIGSEGV"),
          Map.entry(12, "SIGUSR2"),
          Map.entry(13, "SIGPIPE"),
          Map.entry(14, "SIGALRM"),
          Map.entry(15, "SIGTERM"),
          Map.entry(24, "SIGXCPU"),
          Map.entry(25, "SIGXFSZ"),
          Map.entry(31, "SIGSYS"));

  private ExitStatus() {}

  /** {@code exit code 3}, or {@code killed by SIGKILL (9)}. */
  static String describe(int status) {
    int signal = status & 0x7F;
    if (signal == 0) {
      return "exit code " + (status >> 8 & 0xFF);
    }
    return "killed by " + SIGNALS.getOrDefault(signal, "signal") + " (" + signal + ")";
  }
}
