package dev.mcpbus.cli.doctor;

import dev.mcpbus.cli.ExitCode;
import dev.mcpbus.doctor.DoctorStep;
import dev.mcpbus.doctor.DoctorStep.StepResult;
import dev.mcpbus.doctor.Examination;
import dev.mcpbus.doctor.Finding;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All that the doctor found out about one server. Immutable.
 *
 * @param id of the server
 * @param target how the server is reached, without secrets; empty if the entry cannot be read
 * @param running what a running mcpbus says of this server; null where none runs or it has none
 */
record DoctorReport(String id, String target, List<DoctorStep> steps, @Nullable String running) {

  DoctorReport {
    steps = List.copyOf(steps);
  }

  /** The report of an examination, with what was not tried, and without secrets. */
  static DoctorReport of(Examination examination, RunningService running) {
    String id = examination.definition().id().value();
    return new DoctorReport(id, examination.target(), examination.all(), running.says(id));
  }

  boolean isWell() {
    return failure().isEmpty();
  }

  boolean hasNotes() {
    return steps.stream().anyMatch(step -> step.result() == StepResult.NOTE);
  }

  /** What is wrong at the step that failed; the most probable cause. */
  Optional<Finding> failure() {
    return steps.stream()
        .filter(DoctorStep::hasFailed)
        .flatMap(step -> Stream.ofNullable(step.finding()))
        .findFirst();
  }

  ExitCode exit() {
    return failure().map(found -> exit(found)).orElse(ExitCode.DONE);
  }

  /** 1 configuration, 3 login, 4 unreachable, 0 for a note. */
  private static ExitCode exit(Finding found) {
    return switch (found.cause().kind()) {
      case CONFIGURATION -> ExitCode.UNEXPECTED;
      case UNREACHABLE -> ExitCode.UNREACHABLE;
      case LOGIN -> ExitCode.NOT_ALLOWED;
      case NOTE -> ExitCode.DONE;
    };
  }

  /** {@code {id, target, ok, cause?, text?, remedy?, steps, running?}}. */
  JsonObject toJson() {
    JsonObject json = new JsonObject().put("id", id).put("target", target).put("ok", isWell());
    failure()
        .ifPresent(
            found ->
                json.put("cause", found.cause().name())
                    .put("text", found.text())
                    .put("remedy", found.remedy()));
    json.put("steps", new JsonArray(steps.stream().map(DoctorStep::toJson).toList()));
    return running == null ? json : json.put("running", running);
  }
}
