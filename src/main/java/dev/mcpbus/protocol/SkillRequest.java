package dev.mcpbus.protocol;

import org.jspecify.annotations.Nullable;

/**
 * Which file of which skill a caller of {@code mcp.<id>.skills.read} wants: {@code {uri, path?,
 * skill?}}. The policies decide on {@link #file}, and the connection reads it: both have it from
 * here. Immutable.
 *
 * @param uri the skill: the URI of its {@code SKILL.md}
 * @param file the URI of the wanted file
 * @param held the entry that the caller holds and has the file checked against; null for the
 *     server's present one
 */
public record SkillRequest(String uri, String file, @Nullable RawJson held) {

  /**
   * Reads the body of a request.
   *
   * @return null if it names no skill, or no file of it
   */
  public static @Nullable SkillRequest of(RawJson body) {
    RawJson skill = body.isObject() ? body.member("uri") : null;
    RawJson path = body.isObject() ? body.member("path") : null;
    RawJson held = body.isObject() ? body.member("skill") : null;
    if (skill == null
        || !skill.isString()
        || SkillUri.problem(skill.asString()) != null
        || (path != null && !path.isString())) {
      return null;
    }
    String uri = skill.asString();
    String file = path == null ? uri : SkillUri.file(uri, path.asString());
    return file == null ? null : new SkillRequest(uri, file, held);
  }
}
