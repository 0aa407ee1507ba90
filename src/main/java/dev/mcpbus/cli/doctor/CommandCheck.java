package dev.mcpbus.cli.doctor;

import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.transport.ChildEnvironment;
import dev.mcpbus.transport.StdioOptions;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The step {@code command}: can the program of a stdio server be started at all? The search is that
 * of the transport. Blocks on the file system, and for the version of well-known runtimes.
 */
final class CommandCheck {

  private static final String STEP = "command";

  /** They take the program to run as their first argument that is no option. */
  private static final Pattern INTERPRETER =
      Pattern.compile("(?:node|bun|deno|tsx|ts-node|python[\\d.]*|ruby|perl|php|sh|bash|java)");

  private static final Pattern SCRIPT =
      Pattern.compile(".+\\.(?:[cm]?[jt]s|py|jar|rb|pl|php|sh)", Pattern.CASE_INSENSITIVE);

  /** After one of these no argument names a file. */
  private static final Set<String> NO_FILE = Set.of("-m", "-c", "-e", "-p", "run", "-cp");

  /** How people get the programs that most entries start. */
  private static final Map<String, String> SOURCES =
      Map.ofEntries(
          Map.entry("npx", "npx comes with Node.js: https://nodejs.org"),
          Map.entry("npm", "npm comes with Node.js: https://nodejs.org"),
          Map.entry("node", "Install Node.js: https://nodejs.org"),
          Map.entry("uvx", "uvx comes with uv: https://docs.astral.sh/uv"),
          Map.entry("uv", "Install uv: https://docs.astral.sh/uv"),
          Map.entry("bunx", "bunx comes with Bun: https://bun.sh"),
          Map.entry("deno", "Install Deno: https://deno.com"),
          Map.entry("docker", "Install Docker: https://docs.docker.com"),
          Map.entry("java", "Install a JDK"));

  private final StdioOptions options;
  private final Path home;
  private final Map<String, String> env;

  /**
   * @param variables the environment of mcpbus
   * @param home the user's home directory
   */
  CommandCheck(StdioOptions options, Map<String, String> variables, Path home) {
    this.options = options;
    this.home = home;
    this.env = ChildEnvironment.of(variables);
    options.env().forEach((name, value) -> env.put(name, value.reveal()));
  }

  DoctorStep run() {
    Stopwatch time = Stopwatch.start();
    try {
      Path base = Path.of(cwd()).toAbsolutePath();
      Finding wrong = directory(base);
      PathSearch search = PathSearch.of(env, base, home);
      if (wrong != null) {
        return DoctorStep.failed(STEP, time.millis(), wrong);
      }
      String command = options.command().reveal();
      Optional<Path> program = program(command, search);
      wrong = program.isEmpty() ? missing(command, search) : unusable(program.get(), search);
      if (wrong != null) {
        return DoctorStep.failed(STEP, time.millis(), wrong);
      }
      Path found = program.orElseThrow();
      String version = RuntimeVersion.of(found, env);
      return DoctorStep.ok(STEP, time.millis(), found + (version.isEmpty() ? "" : ", " + version));
    } catch (InvalidPathException e) {
      return DoctorStep.failed(
          STEP,
          time.millis(),
          Finding.of(
              DoctorCause.COMMAND_NOT_FOUND,
              "\"command\" or \"cwd\" is no path: " + e.getReason(),
              "Correct it"));
    }
  }

  private String cwd() {
    Sensitive cwd = options.cwd();
    return cwd == null ? "" : cwd.reveal();
  }

  private static @Nullable Finding directory(Path base) {
    if (Files.isDirectory(base)) {
      return null;
    }
    return Finding.of(
        DoctorCause.DIRECTORY_NOT_FOUND,
        "The directory " + base + (Files.exists(base) ? " is no directory" : " does not exist"),
        "Correct \"cwd\", or make the directory");
  }

  private static Optional<Path> program(String command, PathSearch search) {
    if (command.indexOf('/') < 0) {
      return search.executable(command).or(() -> search.other(command));
    }
    Path named = search.base().resolve(command).normalize();
    return Files.exists(named) ? Optional.of(named) : Optional.empty();
  }

  private Finding missing(String command, PathSearch search) {
    String first = command.strip().split("\\s+", 2)[0];
    if (!first.equals(command) && program(first, search).isPresent()) {
      return Finding.of(
          DoctorCause.COMMAND_NOT_FOUND,
          "\"command\" holds the arguments, too: " + command,
          "Write \"command\": \"" + first + "\", and each of the other words into \"args\"");
    }
    boolean path = command.indexOf('/') >= 0;
    String text =
        path
            ? "The command " + search.base().resolve(command).normalize() + " does not exist"
            : "The command " + command + " is not on PATH";
    return Finding.of(DoctorCause.COMMAND_NOT_FOUND, text, remedy(command, search, path))
        .with(path ? List.of() : List.of("looked in " + String.join(" ", search.folders())));
  }

  private static String remedy(String command, PathSearch search, boolean path) {
    if (path) {
      return "Correct \"command\"" + (command.startsWith("/") ? "" : ": it starts at \"cwd\"");
    }
    Optional<Path> elsewhere = search.elsewhere(command);
    if (elsewhere.isPresent()) {
      return "It is at " + elsewhere.get() + ": write that path as \"command\"";
    }
    if (command.equals("python") && search.executable("python3").isPresent()) {
      return "Write python3, which is there";
    }
    return SOURCES.getOrDefault(command, "Install it")
        + ", or write its full path (which "
        + command
        + ", in your own shell)";
  }

  private @Nullable Finding unusable(Path program, PathSearch search) {
    if (Files.isDirectory(program)) {
      return Finding.of(
          DoctorCause.COMMAND_NOT_EXECUTABLE,
          "The command " + program + " is a directory",
          "Name the program in it as \"command\"");
    }
    if (!PathSearch.isExecutable(program)) {
      return Finding.of(
          DoctorCause.COMMAND_NOT_EXECUTABLE,
          "The command " + program + " is not executable",
          "chmod +x " + program + ", or name its interpreter as \"command\" and it in \"args\"");
    }
    Finding interpreter = Shebang.of(program).problem(program, search);
    return interpreter == null ? script(program, search.base()) : interpreter;
  }

  /** The file that an interpreter is to run, where the arguments name one. */
  private @Nullable Finding script(Path program, Path base) {
    if (!INTERPRETER.matcher(String.valueOf(program.getFileName())).matches()) {
      return null;
    }
    for (Sensitive each : options.args()) {
      String arg = each.reveal();
      if (NO_FILE.contains(arg)) {
        return null;
      }
      if (!arg.startsWith("-")) {
        Path file = base.resolve(arg).normalize();
        return !SCRIPT.matcher(arg).matches() || Files.exists(file)
            ? null
            : Finding.of(
                DoctorCause.FILE_NOT_FOUND,
                "The program " + file + " does not exist",
                "Correct its path in \"args\"" + (arg.startsWith("/") ? "" : ", or \"cwd\""));
      }
    }
    return null;
  }
}
