package dev.mcpbus.doctor;

import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.transport.StdioOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One server with the steps so far. Immutable.
 *
 * @param target how the server is reached, without secrets: a command line, a URL, an address
 */
public record Examination(ServerDefinition definition, String target, List<DoctorStep> steps) {

  private static final List<String> OF_PROCESS =
      List.of("command", "started", "first words", "era", "handshake", "lists", "ping", "end");

  private static final List<String> OF_NETWORK =
      List.of("address", "connect", "http", "login", "era", "handshake", "lists", "ping");

  public Examination {
    steps = List.copyOf(steps);
  }

  /** Whether nothing is wrong that a start would only say again. */
  public boolean mayStart() {
    return steps.stream().noneMatch(DoctorStep::hasFailed);
  }

  public Examination with(List<DoctorStep> more) {
    List<DoctorStep> all = new ArrayList<>(steps);
    all.addAll(more);
    return new Examination(definition, target, all);
  }

  /** Every step, with those that were not tried, and without secrets. */
  public List<DoctorStep> all() {
    List<DoctorStep> all = new ArrayList<>(steps);
    if (!mayStart()) {
      boolean process = definition.transport().type().equals("stdio");
      (process ? OF_PROCESS : OF_NETWORK)
          .stream()
              .filter(name -> steps.stream().noneMatch(step -> step.name().equals(name)))
              .forEach(name -> all.add(DoctorStep.skipped(name, "not tried")));
    }
    return all.stream().map(step -> step.map(definition.redactor()::redact)).toList();
  }

  /**
   * Looks at what can be seen without a start: the entry, its variables, the command or the
   * address. Blocks for the connect time-out of each address at most.
   *
   * @param variables the environment of mcpbus
   * @param home the home directory of its user
   */
  public static Examination begin(
      ServerDefinition definition, String target, Map<String, String> variables, Path home) {
    List<DoctorStep> steps = new ArrayList<>(EntryCheck.sound(definition, variables));
    if (definition.transport() instanceof StdioOptions stdio) {
      steps.add(new CommandCheck(stdio, variables, UsualFolders.of(home)).run());
    } else {
      try {
        Endpoint.of(definition.transport())
            .ifPresent(at -> steps.addAll(new AddressCheck(at, variables).run()));
      } catch (IllegalArgumentException e) {
        steps.add(
            DoctorStep.failed(
                "address",
                -1,
                Finding.of(DoctorCause.BAD_URL, "\"url\" cannot be read", "Correct \"url\"")));
      }
    }
    return new Examination(definition, target, steps);
  }
}
