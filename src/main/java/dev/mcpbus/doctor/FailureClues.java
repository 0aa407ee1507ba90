package dev.mcpbus.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the cause from what a connection reported: which step failed, why, and what to do. Blocks
 * where a server on a network has to be looked at again.
 */
final class FailureClues {

  private static final Pattern EXIT = Pattern.compile("exit code (\\d+)|killed by (SIG\\w+)");
  private static final Pattern BAD_LINE =
      Pattern.compile("line \\d+ of stdout is no JSON-RPC message: (.*)");
  private static final Pattern FRAMED = Pattern.compile("(?i)^Content-Length:\\s*\\d+");

  /** A missing key may look like a crash, a silence or a refused login. */
  private static final Set<DoctorCause> BY_PLACEHOLDER =
      Set.of(
          DoctorCause.CRASHED,
          DoctorCause.EXITED_AT_ONCE,
          DoctorCause.NO_ANSWER,
          DoctorCause.INITIALIZE_REFUSED,
          DoctorCause.CREDENTIALS_REFUSED,
          DoctorCause.VARIABLE_MISSING,
          DoctorCause.FORBIDDEN);

  /**
   * A failed step.
   *
   * @param step its name
   */
  record Diagnosis(String step, Finding finding) {}

  private final SeenFailure seen;

  private FailureClues(SeenFailure seen) {
    this.seen = seen;
  }

  static Diagnosis of(SeenFailure seen) {
    Diagnosis diagnosis = new FailureClues(seen).read();
    Finding placeholder = EntryCheck.placeholder(seen.entry());
    return placeholder != null && BY_PLACEHOLDER.contains(diagnosis.finding().cause())
        ? new Diagnosis(
            diagnosis.step(),
            new Finding(
                placeholder.cause(),
                diagnosis.finding().text() + ". " + placeholder.text(),
                placeholder.remedy(),
                diagnosis.finding().evidence()))
        : diagnosis;
  }

  private Diagnosis read() {
    return switch (seen.code()) {
      case "UNSUPPORTED_VERSION" -> at("handshake", unsupported());
      case "LOOP_DETECTED" ->
          at(
              "handshake",
              found(
                  DoctorCause.LEADS_BACK,
                  "The server leads back to this mcpbus",
                  "Remove the entry, or give it the URL of a view that leaves it out: /mcp/VIEW"));
      case "SCOPE_REJECTED" ->
          at(
              "handshake",
              found(
                  DoctorCause.TOOLS_ONLY,
                  "The server offers more than tools, and the entry has \"toolsOnly\"",
                  "Write \"toolsOnly\": false"));
      default -> seen.endpoint() == null ? ofProcess() : ofNetwork(seen.endpoint());
    };
  }

  private Finding unsupported() {
    return found(
        DoctorCause.UNSUPPORTED_VERSION,
        "No common version of the protocol: " + seen.message(),
        seen.entry().containsKey("protocolVersion")
            ? "Correct or remove \"protocolVersion\""
            : "Update the server; is it an MCP server at all?");
  }

  // ---- a child process

  private Diagnosis ofProcess() {
    Matcher exit = EXIT.matcher(seen.message());
    Finding words = words();
    if (words != null) {
      return at("first words", words);
    }
    if (seen.code().equals("START_FAILED")) {
      return at("started", started());
    }
    if (exit.find()) {
      return at("started", ended(exit));
    }
    if (seen.code().equals("HANDSHAKE_TIMEOUT")) {
      return at("handshake", silent());
    }
    return at("handshake", refused());
  }

  /** What stands on stdout in place of the protocol, where that is the cause. */
  private @Nullable Finding words() {
    List<String> junk = seen.stdout();
    if (junk.stream().anyMatch(line -> FRAMED.matcher(line).find())) {
      return found(
              DoctorCause.WRONG_FRAMING,
              "The server frames its messages with Content-Length, as language servers do",
              "It is no MCP server for stdio, or an old one: MCP has one message on each line."
                  + " Look for its MCP mode or a newer version")
          .with(first(junk));
    }
    if (seen.message().contains("not JSON-RPC")) {
      return found(
              DoctorCause.LOGS_ON_STDOUT,
              "The server writes its log to stdout, where only the protocol may be",
              "Let it log to stderr: often an option or a variable such as LOG_LEVEL. mcpbus skips"
                  + " such lines, but no flood of them")
          .with(first(junk));
    }
    Matcher line = BAD_LINE.matcher(seen.message());
    return line.find()
        ? found(
                DoctorCause.NOT_MCP,
                "A line on stdout begins like a message and is none: " + line.group(1),
                "A log in JSON belongs on stderr; otherwise it is no MCP server, or an old one")
            .with(first(junk))
        : null;
  }

  /** The transport could not run the command, although it is there. */
  private Finding started() {
    List<String> said = List.of(seen.message());
    return OutputClues.ofEnd(said)
        .orElseGet(
            () ->
                found(
                    DoctorCause.COMMAND_NOT_EXECUTABLE,
                    "The command cannot be run: " + seen.message(),
                    "Is it a program for this machine?"));
  }

  private Finding ended(Matcher exit) {
    List<String> said = said();
    Optional<Finding> told = OutputClues.ofEnd(said);
    if (told.isPresent()) {
      return told.get();
    }
    if (exit.group(2) != null) {
      boolean kill = exit.group(2).equals("SIGKILL");
      return found(
              DoctorCause.KILLED,
              "The program was ended by the signal " + exit.group(2),
              kill
                  ? "Did the machine run out of memory (dmesg), or did a container end it?"
                  : "It has crashed: run it in a shell, and report it to its authors")
          .with(OutputClues.telling(said));
    }
    if (exit.group(1).equals("0")) {
      return found(
              DoctorCause.EXITED_AT_ONCE,
              "The program ends by itself, without an error and without a word of MCP",
              "Is it an MCP server, and does it want an argument such as serve or stdio? docker run"
                  + " needs -i")
          .with(OutputClues.telling(said));
    }
    return found(
            DoctorCause.CRASHED,
            "The program ends with exit code " + exit.group(1) + " before it speaks MCP",
            said.isEmpty()
                ? "It says nothing: run the command in a shell"
                : "Its own words say why; run the command in a shell to see all of them")
        .with(OutputClues.telling(said));
  }

  private Finding silent() {
    List<String> said = said();
    return OutputClues.ofSilence(said)
        .orElseGet(
            () ->
                found(
                        DoctorCause.NO_ANSWER,
                        "The program runs and does not answer the handshake",
                        said.isEmpty()
                            ? "Is it an MCP server for stdio? One that starts slowly needs a longer"
                                + " \"handshakeTimeout\""
                            : "Its own words say what it does meanwhile; one that starts slowly"
                                + " needs a longer \"handshakeTimeout\"")
                    .with(OutputClues.telling(said)));
  }

  private Finding refused() {
    return found(
            DoctorCause.INITIALIZE_REFUSED,
            "The server refuses the handshake: " + seen.message(),
            "It is the server that says so; its documentation or its authors know what it wants")
        .with(OutputClues.telling(seen.stderr()));
  }

  // ---- a server on a network

  private Diagnosis ofNetwork(Endpoint endpoint) {
    return new NetworkClues(seen, endpoint).read().orElseGet(() -> at("handshake", other()));
  }

  private Finding other() {
    return switch (seen.code()) {
      case "HANDSHAKE_TIMEOUT", "CALL_TIMEOUT" ->
          found(
              DoctorCause.NO_ANSWER,
              "The server takes the connection and does not answer the handshake",
              "Is it an MCP server, and well? One that is slow needs a longer \"handshakeTimeout\"");
      case "HANDSHAKE_FAILED" -> refused();
      default ->
          found(
              DoctorCause.FAILED_OTHERWISE,
              seen.code() + ": " + seen.message(),
              "The log of mcpbus and of the server say more");
    };
  }

  // ---- parts

  private List<String> said() {
    List<String> all = new ArrayList<>(seen.stderr());
    all.addAll(seen.stdout());
    return all;
  }

  private static List<String> first(List<String> lines) {
    return lines.stream().limit(3).toList();
  }

  private static Diagnosis at(String step, Finding finding) {
    return new Diagnosis(step, finding);
  }

  private static Finding found(DoctorCause cause, String text, String remedy) {
    return Finding.of(cause, text, remedy);
  }
}
