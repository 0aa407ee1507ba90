package dev.mcpbus.doctor;

import dev.mcpbus.protocol.ClueFile;
import io.vertx.core.json.JsonObject;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A kind of line that programs write when they cannot go on, and what it means. Immutable.
 *
 * @param line matches part of a line
 * @param text the cause; {@code {1}} stands for what the first group has matched
 * @param remedy likewise
 */
record OutputClue(Pattern line, DoctorCause cause, String text, String remedy) {

  private static final int MAX_GROUP = 120;

  /** Of a row of {@link ClueFile}. */
  static OutputClue of(JsonObject row) {
    return new OutputClue(
        Pattern.compile(row.getString("line")),
        DoctorCause.valueOf(row.getString("cause")),
        row.getString("text"),
        row.getString("remedy"));
  }

  /** What the line says; empty if it is of another kind. */
  Optional<Finding> read(String said) {
    Matcher found = line.matcher(said);
    return found.find()
        ? Optional.of(Finding.of(cause, filled(text, found), filled(remedy, found)))
        : Optional.empty();
  }

  private static String filled(String template, Matcher found) {
    String out = template;
    for (int i = 1; i <= found.groupCount(); i++) {
      String group = found.group(i) == null ? "" : found.group(i);
      out = out.replace("{" + i + "}", shortened(group.strip()));
    }
    return out;
  }

  private static String shortened(String group) {
    return group.length() > MAX_GROUP ? group.substring(0, MAX_GROUP) + "..." : group;
  }
}
