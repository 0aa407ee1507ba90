package dev.mcpbus.cli.doctor;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One step of an examination. Immutable.
 *
 * @param name one or two words, the same for every server
 * @param millis how long it took; -1 where a time says nothing
 * @param fact what was seen, one line
 * @param finding what is wrong; null where nothing is
 */
record DoctorStep(
    String name, StepResult result, long millis, String fact, @Nullable Finding finding) {

  enum StepResult {
    OK,
    /** It works, and something about it is worth a look. */
    NOTE,
    FAILED,
    /** Not tried, because an earlier step failed or because the server has no such thing. */
    SKIPPED
  }

  static DoctorStep ok(String name, long millis, String fact) {
    return new DoctorStep(name, StepResult.OK, millis, fact, null);
  }

  static DoctorStep note(String name, long millis, String fact, Finding finding) {
    return new DoctorStep(name, StepResult.NOTE, millis, fact, finding);
  }

  static DoctorStep failed(String name, long millis, Finding finding) {
    return new DoctorStep(name, StepResult.FAILED, millis, finding.text(), finding);
  }

  static DoctorStep skipped(String name, String why) {
    return new DoctorStep(name, StepResult.SKIPPED, -1, why, null);
  }

  boolean hasFailed() {
    return result == StepResult.FAILED;
  }

  /** The step with each of its texts changed, such as with the secrets taken out. */
  DoctorStep map(UnaryOperator<String> change) {
    Finding found =
        finding == null
            ? null
            : new Finding(
                finding.cause(),
                change.apply(finding.text()),
                change.apply(finding.remedy()),
                finding.evidence().stream().map(change).toList());
    return new DoctorStep(name, result, millis, change.apply(fact), found);
  }

  /** {@code {step, result, millis?, fact, cause?, text?, remedy?, evidence?}}. */
  JsonObject toJson() {
    JsonObject json =
        new JsonObject().put("step", name).put("result", result.name().toLowerCase(Locale.ROOT));
    if (millis >= 0) {
      json.put("millis", millis);
    }
    json.put("fact", fact);
    if (finding != null) {
      json.put("cause", finding.cause().name())
          .put("text", finding.text())
          .put("remedy", finding.remedy());
      if (!finding.evidence().isEmpty()) {
        json.put("evidence", new JsonArray(finding.evidence()));
      }
    }
    return json;
  }
}
