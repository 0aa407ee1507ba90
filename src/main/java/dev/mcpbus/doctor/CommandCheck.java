package dev.mcpbus.doctor;

import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.transport.ChildEnvironment;
import dev.mcpbus.transport.CommandSearch;
import dev.mcpbus.transport.CommandSearch.FoundCommand;
import dev.mcpbus.transport.StdioOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The step {@code command}: can the program of a stdio server be started at all? The search is that
 * of the start. Blocks on the file system, and for the version of well-known runtimes.
 */
final class CommandCheck {

  private static final String STEP = "command";

  /** Precedes the directories in a remedy of {@code CommandSearch}. */
  private static final String SEARCHED = "; searched ";

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
          Map.entry("npx", "Install Node.js (https://nodejs.org)"),
          Map.entry("npm", "Install Node.js (https://nodejs.org)"),
          Map.entry("node", "Install Node.js (https://nodejs.org)"),
          Map.entry("uvx", "Install uv (https://docs.astral.sh/uv)"),
          Map.entry("uv", "Install uv (https://docs.astral.sh/uv)"),
          Map.entry("bunx", "Install Bun (https://bun.sh)"),
          Map.entry("deno", "Install Deno (https://deno.com)"),
          Map.entry("docker", "Install Docker (https://docs.docker.com)"),
          Map.entry("java", "Install a JDK"));

  private final StdioOptions options;
  private final UsualFolders usual;
  private final Map<String, String> env;

  /**
   * @param variables the environment of mcpbus
   * @param usual where a program may be that is not on PATH
   */
  CommandCheck(StdioOptions options, Map<String, String> variables, UsualFolders usual) {
    this.options = options;
    this.usual = usual;
    this.env = ChildEnvironment.of(variables);
    options.env().forEach((name, value) -> env.put(name, value.reveal()));
  }

  DoctorStep run() {
    Stopwatch time = Stopwatch.start();
    String command = options.command().reveal();
    FoundCommand found = search(command);
    Path program = found.program();
    if (program == null) {
      return DoctorStep.failed(STEP, time.millis(), missing(command, found));
    }
    Finding wrong = unusable(program);
    if (wrong != null) {
      return DoctorStep.failed(STEP, time.millis(), wrong);
    }
    String version = RuntimeVersion.of(program, env);
    return DoctorStep.ok(STEP, time.millis(), program + (version.isEmpty() ? "" : ", " + version));
  }

  private FoundCommand search(String command) {
    return CommandSearch.find(command, env, cwd(), CommandSearch.Disk.SYSTEM);
  }

  private @Nullable Path cwd() {
    Sensitive cwd = options.cwd();
    return cwd == null ? null : Path.of(cwd.reveal());
  }

  private Finding missing(String command, FoundCommand found) {
    String problem = found.problem();
    DoctorCause cause =
        problem.contains("working directory")
            ? DoctorCause.DIRECTORY_NOT_FOUND
            : problem.contains("not executable") || problem.contains("is a directory")
                ? DoctorCause.COMMAND_NOT_EXECUTABLE
                : DoctorCause.COMMAND_NOT_FOUND;
    if (cause == DoctorCause.COMMAND_NOT_FOUND && command.indexOf('/') < 0) {
      int searched = found.remedy().lastIndexOf(SEARCHED);
      return Finding.of(
              cause, "The command " + command + " is not on PATH", remedy(command, found.remedy()))
          .with(searched < 0 ? List.of() : List.of(found.remedy().substring(searched + 2)));
    }
    return Finding.of(
        cause,
        problem.startsWith("command") ? "The " + problem : capital(problem),
        capital(found.remedy()));
  }

  private static String capital(String text) {
    return text.isEmpty() ? text : Character.toUpperCase(text.charAt(0)) + text.substring(1);
  }

  /** What to do about a name that is not on PATH. */
  private String remedy(String name, String otherwise) {
    if (name.equals("python") && search("python3").program() != null) {
      return "Write python3, which is there";
    }
    Optional<Path> elsewhere = usual.find(name);
    if (elsewhere.isPresent()) {
      return "It is at " + elsewhere.get() + ": write that path as \"command\"";
    }
    String source = SOURCES.get(name);
    return source == null
        ? capital(otherwise.replaceFirst(SEARCHED + ".*", ""))
        : source + ", or write the path that \"which " + name + "\" prints in your own shell";
  }

  private @Nullable Finding unusable(Path program) {
    Finding interpreter = Shebang.of(program).problem(program, this::search);
    return interpreter == null ? script(program) : interpreter;
  }

  /** The file that an interpreter is to run, where the arguments name one. */
  private @Nullable Finding script(Path program) {
    if (!INTERPRETER.matcher(String.valueOf(program.getFileName())).matches()) {
      return null;
    }
    Path cwd = cwd();
    Path base = cwd == null ? Path.of("").toAbsolutePath() : cwd;
    for (Sensitive each : options.args()) {
      String arg = each.reveal();
      if (NO_FILE.contains(arg)) {
        return null;
      }
      if (!arg.startsWith("-")) {
        return SCRIPT.matcher(arg).matches() ? script(base, arg) : null;
      }
    }
    return null;
  }

  private static @Nullable Finding script(Path base, String arg) {
    Path file = base.resolve(arg).normalize();
    return Files.exists(file)
        ? null
        : Finding.of(
            DoctorCause.FILE_NOT_FOUND,
            "The program " + file + " does not exist",
            "Correct its path in \"args\"" + (arg.startsWith("/") ? "" : ", or \"cwd\""));
  }
}
