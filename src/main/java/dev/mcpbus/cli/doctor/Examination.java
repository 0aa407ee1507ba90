package dev.mcpbus.cli.doctor;

import dev.mcpbus.config.ServerDefinition;
import java.util.ArrayList;
import java.util.List;

/**
 * One server with the steps so far. Immutable.
 *
 * @param target how the server is reached, without secrets: a command line, a URL, an address
 */
record Examination(ServerDefinition definition, String target, List<DoctorStep> steps) {

  private static final List<String> OF_PROCESS =
      List.of("command", "started", "first words", "era", "handshake", "lists", "ping", "end");

  private static final List<String> OF_NETWORK =
      List.of("address", "connect", "http", "login", "era", "handshake", "lists", "ping");

  Examination {
    steps = List.copyOf(steps);
  }

  /** Whether nothing is wrong that a start would only say again. */
  boolean mayStart() {
    return steps.stream().noneMatch(DoctorStep::hasFailed);
  }

  Examination with(List<DoctorStep> more) {
    List<DoctorStep> all = new ArrayList<>(steps);
    all.addAll(more);
    return new Examination(definition, target, all);
  }

  /** The report, with what was not tried, and without secrets. */
  DoctorReport report(RunningService running) {
    List<DoctorStep> all = new ArrayList<>(steps);
    if (!mayStart()) {
      boolean process = definition.transport().type().equals("stdio");
      (process ? OF_PROCESS : OF_NETWORK)
          .stream()
              .filter(name -> steps.stream().noneMatch(step -> step.name().equals(name)))
              .forEach(name -> all.add(DoctorStep.skipped(name, "not tried")));
    }
    return new DoctorReport(
        definition.id().value(),
        target,
        all.stream().map(step -> step.map(definition.redactor()::redact)).toList(),
        running.says(definition.id().value()));
  }
}
