package dev.mcpbus.transport.stdio;

import dev.mcpbus.transport.ChildEnvironment;
import dev.mcpbus.transport.StdioOptions;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A command that was found and is executable, with its arguments and environment.
 *
 * @param program absolute path
 * @param argv arguments; the first is the command itself
 * @param env the whole environment of the child
 * @param cwd absolute, or null for the working directory of mcpbus
 */
record LaunchSpec(Path program, List<String> argv, Map<String, String> env, @Nullable Path cwd) {

  /**
   * Finds the command. Accesses the file system, so do not call it on an event loop.
   *
   * @param ours environment of this JVM
   * @param markers variables that are added last
   * @throws TransportException {@code START_FAILED}; the message names the command and the
   *     directories that were searched
   */
  static LaunchSpec of(StdioOptions options, Map<String, String> ours, Map<String, String> markers)
      throws TransportException {
    Map<String, String> env = ChildEnvironment.of(ours);
    options.env().forEach((name, value) -> env.put(name, value.reveal()));
    env.putAll(markers);
    Path cwd = options.cwd() == null ? null : Path.of(options.cwd().reveal()).toAbsolutePath();
    if (cwd != null && !Files.isDirectory(cwd)) {
      throw failed(
          "the working directory " + cwd + " does not exist: create it, or correct \"cwd\"");
    }
    List<String> argv = new ArrayList<>();
    String command = options.command().reveal();
    argv.add(command);
    options.args().forEach(arg -> argv.add(arg.reveal()));
    if (command.isBlank()) {
      throw failed("the command is empty");
    }
    if (hasNul(argv) || hasNul(env.keySet()) || hasNul(env.values())) {
      throw failed("an argument or environment value of " + command + " contains a NUL character");
    }
    for (String name : options.env().keySet()) {
      if (name.isEmpty() || name.indexOf('=') >= 0) {
        throw failed("\"" + name + "\" is not a valid name of an environment variable");
      }
    }
    try {
      return new LaunchSpec(find(command, env, cwd), argv, env, cwd);
    } catch (InvalidPathException e) {
      throw failed("command " + command + " is not a path: " + e.getReason());
    }
  }

  private static Path find(String command, Map<String, String> env, @Nullable Path cwd)
      throws TransportException {
    Path base = cwd == null ? Path.of("").toAbsolutePath() : cwd;
    if (command.indexOf('/') >= 0 || command.indexOf(File.separatorChar) >= 0) {
      Path program = base.resolve(command).normalize();
      if (!Files.exists(program)) {
        throw failed("command " + program + " does not exist" + remedy(command, cwd));
      }
      if (!runnable(program)) {
        throw failed(
            "command "
                + program
                + (Files.isDirectory(program)
                    ? " is a directory: name a program"
                    : " is not executable: name a program, or allow it with chmod +x"));
      }
      return program;
    }
    String path = env.getOrDefault("PATH", "/usr/local/bin:/usr/bin:/bin");
    Path refused = null;
    for (String directory : path.split(File.pathSeparator, -1)) {
      Path program = base.resolve(directory).resolve(command);
      if (runnable(program)) {
        return program;
      }
      if (Files.isRegularFile(program)) {
        refused = program;
      }
    }
    if (refused != null) {
      throw failed(
          "command " + refused + " is not executable: name another, or allow it with chmod +x");
    }
    Set<String> searched = new LinkedHashSet<>(List.of(path.split(File.pathSeparator)));
    throw failed(
        "command "
            + command
            + " was not found in "
            + String.join(", ", searched)
            + (command.contains(" ")
                ? remedy(command, cwd)
                : ": install it, write its whole path, or set PATH in \"env\""));
  }

  /** What to write for a command that holds arguments; else where relative paths start. */
  private static String remedy(String command, @Nullable Path cwd) {
    int blank = command.indexOf(' ');
    if (blank > 0) {
      return ": write the program alone in \"command\", here "
          + command.substring(0, blank)
          + ", and each argument in \"args\"; no shell splits the text";
    }
    return command.startsWith("/")
        ? ": install it, or correct the path"
        : ": correct the path, which starts at "
            + (cwd == null ? "the working directory of mcpbus; \"cwd\" names another" : "\"cwd\"");
  }

  private static boolean runnable(Path program) {
    return Files.isRegularFile(program) && Files.isExecutable(program);
  }

  private static boolean hasNul(Iterable<String> texts) {
    for (String text : texts) {
      if (text.indexOf('\0') >= 0) {
        return true;
      }
    }
    return false;
  }

  /** Omits arguments and environment, which may hold secrets. */
  @Override
  public String toString() {
    return "launch of " + program;
  }

  private static TransportException failed(String message) {
    return new TransportException(Reason.START_FAILED, Reached.NO, message);
  }
}
