package dev.mcpbus.doctor;

import static dev.mcpbus.doctor.DoctorCause.CACHE_BROKEN;
import static dev.mcpbus.doctor.DoctorCause.COMMAND_NOT_FOUND;
import static dev.mcpbus.doctor.DoctorCause.CREDENTIALS_REFUSED;
import static dev.mcpbus.doctor.DoctorCause.DOCKER_NOT_RUNNING;
import static dev.mcpbus.doctor.DoctorCause.FILE_NOT_FOUND;
import static dev.mcpbus.doctor.DoctorCause.IMAGE_NOT_FOUND;
import static dev.mcpbus.doctor.DoctorCause.INTERPRETER_NOT_FOUND;
import static dev.mcpbus.doctor.DoctorCause.LIBRARY_MISSING;
import static dev.mcpbus.doctor.DoctorCause.MODULE_NOT_FOUND;
import static dev.mcpbus.doctor.DoctorCause.NEEDS_NO_TERMINAL;
import static dev.mcpbus.doctor.DoctorCause.OUT_OF_MEMORY;
import static dev.mcpbus.doctor.DoctorCause.PACKAGE_NOT_FOUND;
import static dev.mcpbus.doctor.DoctorCause.PERMISSION_DENIED;
import static dev.mcpbus.doctor.DoctorCause.PORT_IN_USE;
import static dev.mcpbus.doctor.DoctorCause.REGISTRY_UNREACHABLE;
import static dev.mcpbus.doctor.DoctorCause.RUNTIME_TOO_OLD;
import static dev.mcpbus.doctor.DoctorCause.SERVES_HTTP;
import static dev.mcpbus.doctor.DoctorCause.SYNTAX_ERROR;
import static dev.mcpbus.doctor.DoctorCause.VARIABLE_MISSING;
import static dev.mcpbus.doctor.DoctorCause.WAITS_FOR_A_PERSON;
import static dev.mcpbus.doctor.DoctorCause.WRONG_ARCHITECTURE;
import static dev.mcpbus.doctor.DoctorCause.WRONG_ARGUMENTS;

import java.util.List;
import java.util.regex.Pattern;

/** The lines that {@link OutputClues} knows. A new one needs its row in {@code OutputCluesTest}. */
final class OutputClueTable {

  private static final String QUOTED = "['\"`\u2018]([^'\"`\u2019]+)['\"`\u2019]";

  /** In the order of what says most: the first kind that any line is of decides. */
  static final List<OutputClue> ENDS =
      List.of(
          // What a runner that was killed in the middle of its work leaves behind.
          clue(
              CACHE_BROKEN,
              "(?:ENOTEMPTY|EEXIST|ENOENT|ERR_MODULE_NOT_FOUND|Cannot find (?:module|package))\\b.*?"
                  + "['\"\\s]([^'\"\\s]*[/\\\\]_npx[/\\\\][0-9a-f]+)",
              "npx has left a half-filled folder: {1}",
              "Delete the folder {1}, and start the server again"),
          clue(
              CACHE_BROKEN,
              "npm (?:ERR!|error) (?:code )?(?:EINTEGRITY|ECOMPROMISED)",
              "A package in npm's cache is broken, or two npm have written there at once",
              "npm cache clean --force, and start the server again"),
          clue(
              CACHE_BROKEN,
              "(?i)\\bcache\\b.{0,60}\\bcorrupt",
              "The cache of packages is broken",
              "Empty it (npm cache clean --force, uv cache clean, bun pm cache rm), and start the"
                  + " server again"),
          clue(
              CACHE_BROKEN,
              "(?:error: )?Failed to install: (\\S+)",
              "uv could not install {1}",
              "uv cache clean, and start the server again; if it stays, the file system does not"
                  + " allow it, or is full"),
          // Packages that runners fetch.
          clue(
              PACKAGE_NOT_FOUND,
              "npm (?:ERR!|error) 404\\s+" + QUOTED + " is not in",
              "npm has no package {1}",
              "Correct the package's name in \"args\"; npm view NAME says whether there is one"),
          clue(
              PACKAGE_NOT_FOUND,
              "npm (?:ERR!|error) 404 .*" + QUOTED + " could not be found",
              "npm has no package {1}",
              "Correct the package's name in \"args\"; npm view NAME says whether there is one"),
          clue(
              PACKAGE_NOT_FOUND,
              "npm (?:ERR!|error) (?:code )?E?404",
              "npm has no package of that name",
              "Correct the package's name in \"args\"; npm view NAME says whether there is one"),
          clue(
              PACKAGE_NOT_FOUND,
              "npm (?:ERR!|error) (?:code ETARGET|notarget No matching version found for (\\S+))",
              "npm has no such version of the package {1}",
              "Correct the version in \"args\"; npm view NAME versions lists them"),
          clue(
              PACKAGE_NOT_FOUND,
              "(?:Because )?(?<!\\S)(\\S+) was not found in the package registry",
              "uvx found no package {1}",
              "Correct the package's name in \"args\"; --from PACKAGE names one that is called"
                  + " differently from its command"),
          clue(
              PACKAGE_NOT_FOUND,
              "No matching distribution found for (\\S+)",
              "pip has no package {1}",
              "Correct the package's name in \"args\""),
          clue(
              PACKAGE_NOT_FOUND,
              "(?:could not determine executable to run|[Aa]n executable named .{1,80} is not"
                  + " provided by package)",
              "The package has no command of that name",
              "Is it the package of the server? For uvx name the package with --from PACKAGE and"
                  + " then the command. If it has worked before, empty the cache: delete the folder"
                  + " _npx in npm's cache, or uv cache clean"),
          clue(
              WAITS_FOR_A_PERSON,
              "(?:Need to install the following packages|Ok to proceed\\?)",
              "npx waits for a person who allows it to install the package",
              "Write \"-y\" as the first of \"args\""),
          clue(
              REGISTRY_UNREACHABLE,
              "npm (?:ERR!|error) (?:code |errno )?"
                  + "(ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET|ENETUNREACH)",
              "npm cannot reach its registry ({1})",
              "Check the network. A proxy has to stand in the entry's \"env\" (HTTPS_PROXY):"
                  + " servers inherit few variables"),
          clue(
              REGISTRY_UNREACHABLE,
              "(?:[Ff]ailed to fetch: |[Cc]ould not fetch URL |error sending request for url )"
                  + "[`(]?(\\S+?)[`):]?(?:\\s|$)",
              "The package cannot be fetched from {1}",
              "Check the network. A proxy has to stand in the entry's \"env\" (HTTPS_PROXY):"
                  + " servers inherit few variables"),
          // Containers.
          clue(
              DOCKER_NOT_RUNNING,
              "(?:Cannot connect to the Docker daemon|[Dd]ocker daemon is not running"
                  + "|failed to connect to the docker API|error during connect:)",
              "Docker's daemon does not run, or docker cannot reach it",
              "Start Docker (systemctl start docker, or Docker Desktop); where it runs elsewhere,"
                  + " set DOCKER_HOST in the entry's \"env\""),
          clue(
              DOCKER_NOT_RUNNING,
              "permission denied while trying to connect to the [Dd]ocker",
              "This user may not talk to Docker's daemon",
              "Add the user to the group docker and log in anew"),
          clue(
              IMAGE_NOT_FOUND,
              "(?:pull access denied for|manifest for|repository) (\\S+?),? "
                  + "(?:repository does not exist|not found|does not exist)",
              "Docker finds no image {1}",
              "Correct the image's name in \"args\", or log in with docker login"),
          clue(
              IMAGE_NOT_FOUND,
              "(?:manifest unknown|No such image: (\\S+))",
              "Docker finds no image {1}",
              "Correct the image's name and tag in \"args\""),
          clue(
              NEEDS_NO_TERMINAL,
              "(?:the input device is not a TTY|cannot attach stdin to a TTY)",
              "docker run wants a terminal, and mcpbus talks over pipes",
              "Write \"-i\" in place of \"-it\" or \"-t\" in \"args\""),
          // Modules and files of the program.
          clue(
              FILE_NOT_FOUND,
              "Cannot find module ['\"](/[^'\"]+|[A-Za-z]:[^'\"]+)['\"](?! imported)",
              "The program {1} does not exist",
              "Correct its path in \"args\"; is it built (npm run build)?"),
          clue(
              MODULE_NOT_FOUND,
              "Cannot find (?:module|package) ['\"]([^'\"]+)['\"]",
              "The program needs the module {1}, which is not installed",
              "Run npm install (npm ci) in the folder of the server; is it built?"),
          clue(
              MODULE_NOT_FOUND,
              "ModuleNotFoundError: No module named ['\"]([^'\"]+)['\"]",
              "The program needs the Python module {1}, which is not installed",
              "Install it into the Python that the entry starts (python -m pip install ...), or"
                  + " name the python of the virtual environment as \"command\""),
          clue(
              MODULE_NOT_FOUND,
              "(?:^|/)[^\\s:/]*: (?:No module named|Error while finding module"
                  + " specification for) ['\"]?([\\w.]+)",
              "Python has no module {1}",
              "Install it into the Python that the entry starts (python -m pip install ...), or"
                  + " name the python of the virtual environment as \"command\""),
          clue(
              MODULE_NOT_FOUND,
              "ImportError: (.+)",
              "A Python import fails: {1}",
              "Install the versions that the server asks for, best in a virtual environment of its"
                  + " own"),
          clue(
              FILE_NOT_FOUND,
              "can't open file ['\"]([^'\"]+)['\"]",
              "The program {1} does not exist",
              "Correct its path in \"args\"; a relative path starts at \"cwd\""),
          clue(
              FILE_NOT_FOUND,
              "Unable to access jarfile (.+)",
              "The jar {1} does not exist",
              "Correct its path in \"args\"; a relative path starts at \"cwd\""),
          clue(
              MODULE_NOT_FOUND,
              "Could not find or load main class (\\S+)",
              "Java finds no class {1}",
              "Correct the class or its class path in \"args\""),
          clue(
              RUNTIME_TOO_OLD,
              "UnsupportedClassVersionError: (\\S+)",
              "The program was built for a newer Java than the one that the entry starts",
              "Name the java of a newer JDK as \"command\""),
          clue(
              RUNTIME_TOO_OLD,
              "(?:EBADENGINE|Unsupported engine|[Rr]equires? (?:[Nn]ode|[Pp]ython|[Jj]ava)"
                  + "(?:\\.js)? ?(?:version )?(?:>=|v?\\d)"
                  + "|requires a different Python|Python version >=)",
              "The program wants a newer version of what runs it",
              "Install that version, and name it as \"command\" with its path"),
          // The shell and the system.
          clue(
              INTERPRETER_NOT_FOUND,
              "(?:/usr/bin/)?env: " + QUOTED + ": No such file",
              "The interpreter {1} of the program's first line (#!) is not on PATH",
              "Install {1}, or add its directory to \"PATH\" in the entry's \"env\""),
          clue(
              INTERPRETER_NOT_FOUND,
              "(?<!\\S)(\\S+): bad interpreter",
              "The interpreter {1} of the program's first line (#!) does not exist",
              "Correct the first line of the program, or install what it names"),
          clue(
              COMMAND_NOT_FOUND,
              "(?:^|[ :])([^\\s:]+): (?:command )?not found$",
              "The program starts {1}, which is not on PATH",
              "Install {1}, or add its directory to \"PATH\" in the entry's \"env\""),
          clue(
              COMMAND_NOT_FOUND,
              "command not found: (\\S+)",
              "The program starts {1}, which is not on PATH",
              "Install {1}, or add its directory to \"PATH\" in the entry's \"env\""),
          clue(
              COMMAND_NOT_FOUND,
              QUOTED + " is not recognized",
              "The program starts {1}, which is not on PATH",
              "Install {1}, or add its directory to \"PATH\" in the entry's \"env\""),
          clue(
              COMMAND_NOT_FOUND,
              "spawn (\\S+) ENOENT",
              "The program starts {1}, which is not on PATH",
              "Install {1}, or add its directory to \"PATH\" in the entry's \"env\""),
          clue(
              LIBRARY_MISSING,
              "error while loading shared libraries: ([^:\\s]+)",
              "The program needs the library {1}, which is not installed",
              "Install it, or take a build of the server for this system"),
          clue(
              LIBRARY_MISSING,
              "version [`'\"](GLIBC\\S*?)['\"] not found",
              "The program needs {1}, which is newer than this system",
              "Take a build of the server for this system, or run it in a container"),
          clue(
              WRONG_ARCHITECTURE,
              "(?:[Ee]xec format error|cannot execute binary file)",
              "The program is built for another processor, or is a script without #!",
              "Take the build for this machine; a script needs a first line such as #!/bin/sh"),
          clue(
              PORT_IN_USE,
              "EADDRINUSE.*?:(\\d{2,5})\\b",
              "Port {1} is in use: perhaps by another copy of this server",
              "End the other one, or give this server another port in \"args\" or \"env\""),
          clue(
              PORT_IN_USE,
              "(?:EADDRINUSE|[Aa]ddress already in use)",
              "A port that the server wants is in use: perhaps by another copy of it",
              "End the other one, or give this server another port in \"args\" or \"env\""),
          clue(
              OUT_OF_MEMORY,
              "(?:heap out of memory|OutOfMemoryError|MemoryError)",
              "The program ran out of memory",
              "Give it more (--max-old-space-size for node, -Xmx for java), or less to do"),
          // What the program wants to be told.
          clue(
              VARIABLE_MISSING,
              "(?i:missing|required|set|provide|define)\\b.{0,40}?(?i:environment variables?|env"
                  + " vars?)[:\\s\"'`]+([A-Z][A-Z0-9_]{2,})",
              "The server wants the environment variable {1}",
              "Add it to the entry: \"env\": {\"{1}\": \"...\"}; servers inherit few variables"),
          clue(
              VARIABLE_MISSING,
              "\\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\\b['\"`]?,? (?:environment variable |env var )?(?:is"
                  + " |are |was |must be )?(?:required|not set|not"
                  + " defined|missing|undefined|set\\b|unset)",
              "The server wants the environment variable {1}",
              "Add it to the entry: \"env\": {\"{1}\": \"...\"}; servers inherit few variables"),
          clue(
              VARIABLE_MISSING,
              "(?:[Pp]lease|must|need to) (?:set|provide|define|export)\\b.{0,40}?"
                  + "\\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)",
              "The server wants the environment variable {1}",
              "Add it to the entry: \"env\": {\"{1}\": \"...\"}; servers inherit few variables"),
          clue(
              VARIABLE_MISSING,
              "(?:KeyError: |Missing )['\"`]?([A-Z][A-Z0-9]*_[A-Z0-9_]+)",
              "The server wants the environment variable {1}",
              "Add it to the entry: \"env\": {\"{1}\": \"...\"}; servers inherit few variables"),
          clue(
              CREDENTIALS_REFUSED,
              "(?i)(?:invalid|incorrect|bad|expired) (?:api[ _-]?key|access token|token"
                  + "|credentials?)",
              "The server's credentials are refused",
              "Correct the key or token in the entry's \"env\""),
          clue(
              WRONG_ARGUMENTS,
              "(?i)((?:unknown|unrecognized|unexpected|invalid) (?:option|argument|flag)s?\\b.*)",
              "The program does not know its arguments: {1}",
              "Correct \"args\""),
          clue(
              WRONG_ARGUMENTS,
              "(?i)((?:missing|the following arguments are) required.*)",
              "The program wants more arguments: {1}",
              "Add them to \"args\""),
          clue(
              WRONG_ARGUMENTS,
              "(?i)^\\s*(usage: .*)",
              "The program prints its usage in place of speaking MCP: {1}",
              "Add what it wants to \"args\": often a folder, or a word such as serve or stdio"),
          clue(
              SYNTAX_ERROR,
              "(?:SyntaxError: |ERR_REQUIRE_ESM|ERR_UNKNOWN_FILE_EXTENSION"
                  + "|Cannot use import statement outside)(.*)",
              "The program cannot be read: {1}",
              "Is the interpreter new enough, and the file a program of its language? TypeScript"
                  + " has to be built first"),
          clue(
              PERMISSION_DENIED,
              "EACCES[^'\"]*['\"]([^'\"]+)['\"]",
              "The program may not open {1}",
              "Correct the permissions of {1}, or the path"),
          clue(
              PERMISSION_DENIED,
              "PermissionError: .*?['\"]([^'\"]+)['\"]",
              "The program may not open {1}",
              "Correct the permissions of {1}, or the path"),
          clue(
              FILE_NOT_FOUND,
              "(?:ENOENT|FileNotFoundError)[^'\"]*['\"]([^'\"]+)['\"]",
              "The program wants {1}, which does not exist",
              "Correct the path in \"args\" or \"env\"; a relative path starts at \"cwd\""),
          clue(
              PERMISSION_DENIED,
              "(?:^|: )([^:]+): Permission denied",
              "The program may not open {1}",
              "Correct the permissions of {1}, or the path"),
          clue(
              FILE_NOT_FOUND,
              "(?:^|: )([^:]+): No such file or directory",
              "The program wants {1}, which does not exist",
              "Correct the path in \"args\" or \"env\"; a relative path starts at \"cwd\""));

  /** The program lives, and listens elsewhere than on stdin. */
  static final List<OutputClue> LISTENS =
      List.of(
          clue(
              SERVES_HTTP,
              "(?i)(?:listening|running|started|serving|available|ready|server)\\b.{0,60}?"
                  + "(https?://[^\\s\"'<>)]+)",
              "The program serves HTTP, and the entry waits for MCP on stdio",
              "Let it run by itself and write \"url\": \"{1}\" in place of \"command\" (the path is"
                  + " often /mcp); or start it for stdio, often with --stdio or --transport stdio"),
          clue(
              SERVES_HTTP,
              "(?i)(?:listening|running|started|serving)\\b.{0,40}?\\bport:? ?(\\d{2,5})\\b",
              "The program serves HTTP on port {1}, and the entry waits for MCP on stdio",
              "Let it run by itself and write \"url\": \"http://localhost:{1}/mcp\" in place of"
                  + " \"command\"; or start it for stdio, often with --stdio or --transport"
                  + " stdio"));

  private OutputClueTable() {}

  private static OutputClue clue(DoctorCause cause, String line, String text, String remedy) {
    return new OutputClue(Pattern.compile(line), cause, text, remedy);
  }
}
