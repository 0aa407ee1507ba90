package dev.mcpbus.doctor;

import dev.mcpbus.protocol.Printable;
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
public record DoctorStep(
    String name, StepResult result, long millis, String fact, @Nullable Finding finding) {

  /** How a step went. */
  public enum StepResult {
    OK,
    /** It works, and something about it is worth a look. */
    NOTE,
    FAILED,
    /** Not tried, because an earlier step failed or because the server has no such thing. */
    SKIPPED
  }

  public static DoctorStep ok(String name, long millis, String fact) {
    return new DoctorStep(name, StepResult.OK, millis, fact, null);
  }

  public static DoctorStep note(String name, long millis, String fact, Finding finding) {
    return new DoctorStep(name, StepResult.NOTE, millis, fact, finding);
  }

  public static DoctorStep failed(String name, long millis, Finding finding) {
    return new DoctorStep(name, StepResult.FAILED, millis, finding.text(), finding);
  }

  public static DoctorStep skipped(String name, String why) {
    return new DoctorStep(name, StepResult.SKIPPED, -1, why, null);
  }

  public boolean hasFailed() {
    return result == StepResult.FAILED;
  }

  /** The step with each of its texts changed, such as with the secrets taken out. */
  public DoctorStep map(UnaryOperator<String> change) {
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
  public JsonObject toJson() {
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

  /**
   * The form of {@code mcp.servers.examine}: {@code {name, result, millis?, text, remedy?,
   * evidence?}}, in texts that can be shown.
   */
  public JsonObject toReply() {
    String told =
        switch (result) {
          case OK -> "fine";
          case NOTE -> "warning";
          case FAILED -> "failed";
          case SKIPPED -> "skipped";
        };
    JsonObject json = new JsonObject().put("name", name).put("result", told);
    if (millis >= 0) {
      json.put("millis", millis);
    }
    boolean more = finding != null && !finding.text().equals(fact);
    json.put("text", Printable.line(finding != null && more ? fact + ": " + finding.text() : fact));
    if (finding != null) {
      json.put("remedy", Printable.line(finding.remedy()));
      if (!finding.evidence().isEmpty()) {
        json.put(
            "evidence", new JsonArray(finding.evidence().stream().map(Printable::line).toList()));
      }
    }
    return json;
  }
}
