package dev.mcpbus.protocol;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;

/**
 * What programs write when they cannot go on, and what a person does about it: the resource {@code
 * failure-clues.json}. Each section is in its order, the line that says most first.
 */
public final class ClueFile {

  private static final String NAME = "/failure-clues.json";

  private ClueFile() {}

  /**
   * The rows of a section, read anew.
   *
   * @param section {@code lines}: to show with a failed start, each with {@code line}, an
   *     expression for a part of it, and {@code remedy}, a clause that may be empty; {@code ends}
   *     and {@code listens}: for an examination, with {@code cause} and {@code text} as well
   */
  public static List<JsonObject> rows(String section) {
    try (InputStream in = ClueFile.class.getResourceAsStream(NAME)) {
      byte[] bytes = Objects.requireNonNull(in, NAME + " is not in the jar").readAllBytes();
      JsonArray rows = new JsonObject(Buffer.buffer(bytes)).getJsonArray(section);
      return rows.stream().map(JsonObject.class::cast).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
