package dev.mcpbus.transport;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds the program of a command, in the same way before a start and at the start. Accesses the
 * file system: not for an event loop.
 */
public final class CommandSearch {

  private static final String DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

  private static final int MAX_SHOWN = 6;

  /** What the search wants to know of a file system. */
  public interface Disk {

    Disk SYSTEM =
        new Disk() {
          @Override
          public boolean exists(Path path) {
            return Files.exists(path);
          }

          @Override
          public boolean isDirectory(Path path) {
            return Files.isDirectory(path);
          }

          @Override
          public boolean isExecutable(Path path) {
            return Files.isRegularFile(path) && Files.isExecutable(path);
          }
        };

    boolean exists(Path path);

    boolean isDirectory(Path path);

    /** Whether it is a file that this user may execute. */
    boolean isExecutable(Path path);
  }

  /**
   * The result.
   *
   * @param program its absolute path; null if there is none
   * @param problem empty if there is a program
   * @param remedy what to do about the problem
   */
  public record FoundCommand(@Nullable Path program, String problem, String remedy) {

    private static FoundCommand no(String problem, String remedy) {
      return new FoundCommand(null, problem, remedy);
    }
  }

  private CommandSearch() {}

  /**
   * @param command a name that is looked up in PATH, or a path
   * @param environment of the child, which has PATH
   * @param cwd where relative paths start; null for the working directory of mcpbus
   */
  public static FoundCommand find(
      String command, Map<String, String> environment, @Nullable Path cwd, Disk disk) {
    try {
      Path base = cwd == null ? Path.of("").toAbsolutePath() : cwd.toAbsolutePath();
      if (!disk.isDirectory(base)) {
        return FoundCommand.no(
            "the working directory " + base + " does not exist", "create it, or correct \"cwd\"");
      }
      return command.indexOf('/') >= 0 || command.indexOf(File.separatorChar) >= 0
          ? atPath(command, base, cwd != null, disk)
          : inPath(command, environment.getOrDefault("PATH", DEFAULT_PATH), base, disk);
    } catch (InvalidPathException e) {
      return FoundCommand.no(
          "command " + command + " is not a path: " + e.getReason(), "correct \"command\"");
    }
  }

  private static FoundCommand atPath(String command, Path base, boolean ofEntry, Disk disk) {
    Path program = base.resolve(command).normalize();
    if (disk.isExecutable(program)) {
      return new FoundCommand(program, "", "");
    }
    if (disk.isDirectory(program)) {
      return FoundCommand.no("command " + program + " is a directory", "name a program");
    }
    if (disk.exists(program)) {
      return FoundCommand.no(
          "command " + program + " is not executable", "name a program, or allow it with chmod +x");
    }
    String start = ofEntry ? "\"cwd\"" : "the working directory of mcpbus; \"cwd\" names another";
    return FoundCommand.no(
        "command " + program + " does not exist",
        command.indexOf(' ') > 0
            ? separate(command)
            : command.startsWith("/")
                ? "install it, or correct the path"
                : "correct the path, which starts at " + start);
  }

  private static FoundCommand inPath(String command, String path, Path base, Disk disk) {
    Path refused = null;
    for (String directory : path.split(File.pathSeparator, -1)) {
      Path program = base.resolve(directory).resolve(command);
      if (disk.isExecutable(program)) {
        return new FoundCommand(program, "", "");
      }
      if (disk.exists(program) && !disk.isDirectory(program)) {
        refused = program;
      }
    }
    if (refused != null) {
      return FoundCommand.no(
          "command " + refused + " is not executable", "name another, or allow it with chmod +x");
    }
    return FoundCommand.no(
        "command " + command + " was not found",
        (command.indexOf(' ') > 0
                ? separate(command)
                : "install it, write its whole path, or set PATH in \"env\"")
            + "; searched "
            + shown(path));
  }

  /** The directories of PATH; the first ones of many. */
  private static String shown(String path) {
    Set<String> all = new LinkedHashSet<>(List.of(path.split(File.pathSeparator)));
    String first = all.stream().limit(MAX_SHOWN).collect(Collectors.joining(", "));
    int more = all.size() - MAX_SHOWN;
    return first + (more > 0 ? " and " + more + " more directories of PATH" : "");
  }

  private static String separate(String command) {
    return "write the program alone in \"command\", here "
        + command.substring(0, command.indexOf(' '))
        + ", and each argument in \"args\"; no shell splits the text";
  }
}
