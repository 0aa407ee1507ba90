package dev.mcpbus.transport.stdio;

import dev.mcpbus.transport.ChildEnvironment;
import dev.mcpbus.transport.CommandSearch;
import dev.mcpbus.transport.CommandSearch.FoundCommand;
import dev.mcpbus.transport.StdioOptions;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
    FoundCommand found = CommandSearch.find(command, env, cwd, CommandSearch.Disk.SYSTEM);
    Path program = found.program();
    if (program == null) {
      throw failed(found.problem() + ": " + found.remedy());
    }
    return new LaunchSpec(program, argv, env, cwd);
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
