package dev.mcpbus.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Lines that programs write when they cannot go on, as they write them. */
class OutputCluesTest {

  static Stream<Arguments> lines() {
    return Stream.of(
        arguments("Error: Cannot find module '/srv/dist/index.js'", "FILE_NOT_FOUND", "/srv/dist"),
        arguments(
            "npm error ENOTEMPTY: directory not empty, rename '/home/u/.npm/_npx/0a1b/node_modules/x'"
                + " -> '/home/u/.npm/_npx/0a1b/node_modules/.x-1'",
            "CACHE_BROKEN",
            "/home/u/.npm/_npx/0a1b"),
        arguments(
            "Error: Cannot find module '/home/u/.npm/_npx/0a1b/node_modules/zod/index.js'",
            "CACHE_BROKEN",
            "/home/u/.npm/_npx/0a1b"),
        arguments(
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from"
                + " C:\\Users\\u\\npm-cache\\_npx\\0a1b\\node_modules\\x\\index.js",
            "CACHE_BROKEN",
            "C:\\Users\\u\\npm-cache\\_npx\\0a1b"),
        arguments("npm error code EINTEGRITY", "CACHE_BROKEN", "cache"),
        arguments("npm error code ECOMPROMISED", "CACHE_BROKEN", "two npm"),
        arguments("error: the cache of wheels is corrupt", "CACHE_BROKEN", "cache"),
        arguments(
            "error: Failed to install: a-1.0-py3-none-any.whl (a==1.0)", "CACHE_BROKEN", "uv"),
        arguments("Error: Cannot find module 'zod'", "MODULE_NOT_FOUND", "zod"),
        arguments(
            "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from /srv/a.js",
            "MODULE_NOT_FOUND",
            "zod"),
        arguments("ModuleNotFoundError: No module named 'mcp'", "MODULE_NOT_FOUND", "mcp"),
        arguments("/usr/bin/python3: No module named mcp_server_git", "MODULE_NOT_FOUND", "_git"),
        arguments("python3: can't open file '/x/server.py': [Errno 2]", "FILE_NOT_FOUND", "/x/"),
        arguments("Error: Unable to access jarfile app.jar", "FILE_NOT_FOUND", "app.jar"),
        arguments(
            "Error: Could not find or load main class org.acme.Main",
            "MODULE_NOT_FOUND",
            "org.acme.Main"),
        arguments(
            "java.lang.UnsupportedClassVersionError: org/acme/Main has been compiled by a more"
                + " recent version of the Java Runtime (class file version 65.0)",
            "RUNTIME_TOO_OLD",
            "newer Java"),
        arguments(
            "npm ERR! 404  'mcp-nope@latest' is not in the npm registry.",
            "PACKAGE_NOT_FOUND",
            "mcp-nope"),
        arguments("npm error code E404", "PACKAGE_NOT_FOUND", "npm"),
        arguments(
            "npm error notarget No matching version found for mcp@99.0.0.",
            "PACKAGE_NOT_FOUND",
            "mcp@99"),
        arguments(
            "npm error could not determine executable to run", "PACKAGE_NOT_FOUND", "command"),
        arguments("npm error code ENOTFOUND", "REGISTRY_UNREACHABLE", "ENOTFOUND"),
        arguments(
            "  Because mcp-nope was not found in the package registry and you require mcp-nope, we"
                + " can conclude that your requirements are unsatisfiable.",
            "PACKAGE_NOT_FOUND",
            "mcp-nope"),
        arguments(
            "ERROR: No matching distribution found for mcp-nope", "PACKAGE_NOT_FOUND", "mcp-nope"),
        arguments("Ok to proceed? (y) ", "WAITS_FOR_A_PERSON", "npx"),
        arguments(
            "docker: Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the"
                + " docker daemon running?",
            "DOCKER_NOT_RUNNING",
            "daemon"),
        arguments(
            "docker: permission denied while trying to connect to the Docker daemon socket",
            "DOCKER_NOT_RUNNING",
            "may not"),
        arguments(
            "docker: Error response from daemon: pull access denied for acme/mcp, repository does"
                + " not exist or may require 'docker login'",
            "IMAGE_NOT_FOUND",
            "acme/mcp"),
        arguments("the input device is not a TTY", "NEEDS_NO_TERMINAL", "terminal"),
        arguments("sh: 1: uv: not found", "COMMAND_NOT_FOUND", "uv"),
        arguments("bash: line 1: uv: command not found", "COMMAND_NOT_FOUND", "uv"),
        arguments("zsh: command not found: uv", "COMMAND_NOT_FOUND", "uv"),
        arguments(
            "'npx' is not recognized as an internal or external command,",
            "COMMAND_NOT_FOUND",
            "npx"),
        arguments("Error: spawn git ENOENT", "COMMAND_NOT_FOUND", "git"),
        arguments(
            "/usr/bin/env: \u2018node\u2019: No such file or directory",
            "INTERPRETER_NOT_FOUND",
            "node"),
        arguments("env: 'python': No such file or directory", "INTERPRETER_NOT_FOUND", "python"),
        arguments(
            "./run: /usr/bin/python2: bad interpreter: No such file",
            "INTERPRETER_NOT_FOUND",
            "/usr/bin/python2"),
        arguments(
            "./mcp: error while loading shared libraries: libssl.so.1.1: cannot open shared object",
            "LIBRARY_MISSING",
            "libssl.so.1.1"),
        arguments(
            "./mcp: /lib/libc.so.6: version `GLIBC_2.38' not found (required by ./mcp)",
            "LIBRARY_MISSING",
            "GLIBC_2.38"),
        arguments("cannot execute binary file: Exec format error", "WRONG_ARCHITECTURE", "another"),
        arguments(
            "Error: listen EADDRINUSE: address already in use 127.0.0.1:3000",
            "PORT_IN_USE",
            "3000"),
        arguments("OSError: [Errno 98] Address already in use", "PORT_IN_USE", "in use"),
        arguments("FATAL ERROR: JavaScript heap out of memory", "OUT_OF_MEMORY", "memory"),
        arguments("Error: GITHUB_TOKEN is not set", "VARIABLE_MISSING", "GITHUB_TOKEN"),
        arguments(
            "Missing required environment variable: SLACK_BOT_TOKEN",
            "VARIABLE_MISSING",
            "SLACK_BOT_TOKEN"),
        arguments(
            "Please set SLACK_BOT_TOKEN and SLACK_TEAM_ID environment variables",
            "VARIABLE_MISSING",
            "SLACK"),
        arguments("KeyError: 'OPENAI_API_KEY'", "VARIABLE_MISSING", "OPENAI_API_KEY"),
        arguments("AuthError: Invalid API key provided", "CREDENTIALS_REFUSED", "credentials"),
        arguments("error: unknown option '--stdo'", "WRONG_ARGUMENTS", "--stdo"),
        arguments(
            "server.py: error: the following arguments are required: --root",
            "WRONG_ARGUMENTS",
            "--root"),
        arguments("Usage: mcp-server-filesystem <allowed-directory>", "WRONG_ARGUMENTS", "allowed"),
        arguments("SyntaxError: Unexpected token '??='", "SYNTAX_ERROR", "??="),
        arguments(
            "Error: EACCES: permission denied, open '/etc/shadow'",
            "PERMISSION_DENIED",
            "/etc/shadow"),
        arguments(
            "Error: ENOENT: no such file or directory, stat '/home/u/docs'",
            "FILE_NOT_FOUND",
            "/home/u/docs"),
        arguments("cat: /x/y: No such file or directory", "FILE_NOT_FOUND", "/x/y"),
        arguments("./start.sh: Permission denied", "PERMISSION_DENIED", "./start.sh"));
  }

  @ParameterizedTest
  @MethodSource("lines")
  void a_line_says_its_cause_and_names_what_it_is_about(String line, String cause, String about) {
    Finding found =
        OutputClues.ofEnd(List.of("starting", line, "    at main (x.js:1:1)", "Node.js v22.1.0"))
            .orElseThrow();
    assertThat(found.cause().name()).isEqualTo(cause);
    assertThat(found.text()).contains(about).doesNotContain("{");
    assertThat(found.remedy()).isNotBlank().doesNotContain("{1}");
    assertThat(found.evidence()).first().isEqualTo(line.strip());
  }

  @Test
  void harmless_lines_say_nothing() {
    assertThat(
            OutputClues.ofEnd(
                List.of(
                    "GitHub MCP Server running on stdio",
                    "loaded 14 tools from /srv/tools",
                    "DeprecationWarning: punycode is deprecated",
                    "found 0 vulnerabilities")))
        .isEmpty();
  }

  @Test
  void a_program_that_listens_elsewhere_says_where() {
    assertThat(OutputClues.ofSilence(List.of("INFO: Uvicorn running on http://0.0.0.0:8000 (x)")))
        .get()
        .matches(found -> found.cause() == DoctorCause.SERVES_HTTP)
        .matches(found -> found.remedy().contains("http://0.0.0.0:8000"));
    assertThat(OutputClues.ofSilence(List.of("Server listening on port 3001")))
        .get()
        .matches(found -> found.remedy().contains("http://localhost:3001/mcp"));
  }

  @Test
  void without_a_known_line_the_evidence_is_what_speaks_of_an_error_else_the_end() {
    assertThat(
            OutputClues.telling(
                List.of("a", "b", "RangeError: too far", "    at x (y.js:1)", "", "Node.js v22")))
        .containsExactly("RangeError: too far");
    assertThat(OutputClues.telling(List.of("1", "2", "3", "4", "5", "")))
        .containsExactly("2", "3", "4", "5");
  }

  @Test
  void hostile_lines_take_no_time() {
    List<String> hostile =
        List.of(
            "missing ".repeat(100_000),
            "A_".repeat(200_000),
            "docker: ".repeat(100_000) + "'",
            "listening ".repeat(100_000),
            ": ".repeat(200_000));
    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(60), () -> OutputClues.ofSilence(hostile));
  }
}
