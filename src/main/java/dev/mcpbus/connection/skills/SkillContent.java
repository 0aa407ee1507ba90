package dev.mcpbus.connection.skills;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.Sha256;
import dev.mcpbus.protocol.SkillEntry;
import dev.mcpbus.protocol.SkillEntry.SkillFile;
import dev.mcpbus.protocol.SkillUri;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A file of a skill as the server gave it, checked against the entry of the skill (SEP-2640,
 * Integrity and verification). Immutable.
 *
 * @param digest of the bytes that came
 * @param verified whether the entry has a digest to compare with; false for a dynamic skill
 * @param invisible how many characters of a text a person does not see, line breaks and tabs aside
 */
public record SkillContent(String digest, boolean verified, int invisible) {

  /** The content is not the file that the entry describes; the message says why. */
  public static final class MismatchException extends Exception {
    private static final long serialVersionUID = 1L;

    MismatchException(String message) {
      super(message);
    }
  }

  /**
   * Checks the result of {@code resources/read}. Takes time in proportion to its length.
   *
   * @param file the URI that was read
   * @throws MismatchException if the result must not be used
   */
  public static SkillContent of(SkillEntry skill, String file, RawJson result)
      throws MismatchException {
    SkillFile listed = listed(skill, file);
    RawJson content = content(file, result);
    RawJson text = content.member("text");
    byte[] bytes = bytes(content, text);
    if (listed != null && bytes.length != listed.size()) {
      throw new MismatchException(
          "it has " + bytes.length + " bytes, its entry says " + listed.size());
    }
    if (bytes.length > SkillEntry.MAX_BYTES) {
      throw new MismatchException(
          "it has " + bytes.length + " bytes, more than " + SkillEntry.MAX_BYTES);
    }
    String digest = digest(bytes);
    if (listed != null && !digest.equals(listed.digest())) {
      throw new MismatchException(
          "its digest is " + digest + ", its entry says " + listed.digest());
    }
    String shown = text == null ? "" : text.asString();
    if (file.equals(skill.uri())) {
      String difference =
          SkillFrontmatter.difference(
              new String(bytes, StandardCharsets.UTF_8), skill.frontmatter());
      if (difference != null) {
        throw new MismatchException(difference);
      }
    }
    return new SkillContent(digest, listed != null, invisible(shown));
  }

  /**
   * What the entry says about a file; null for a file of a dynamic skill.
   *
   * @throws MismatchException if the entry does not list the file: the skill has changed since
   */
  public static @Nullable SkillFile listed(SkillEntry skill, String file) throws MismatchException {
    if (skill.files() == null) {
      return null;
    }
    SkillFile listed = skill.files().get(file);
    if (listed == null) {
      throw new MismatchException(
          "its entry does not list this file; if it is new, read the entry again");
    }
    return listed;
  }

  private static RawJson content(String file, RawJson result) throws MismatchException {
    RawJson contents = result.member("contents");
    List<RawJson> all = contents == null || !contents.isArray() ? List.of() : contents.elements();
    if (all.size() != 1 || !all.get(0).isObject()) {
      throw new MismatchException("the server gave " + all.size() + " contents for one file");
    }
    RawJson only = all.get(0);
    String twice = only.ambiguity();
    if (twice != null) {
      throw new MismatchException("its content has \"" + twice + "\" twice");
    }
    RawJson uri = only.member("uri");
    if (uri == null || !uri.isString() || !uri.asString().equals(file)) {
      throw new MismatchException("the server gave the content of another URI");
    }
    return only;
  }

  private static byte[] bytes(RawJson content, @Nullable RawJson text) throws MismatchException {
    RawJson blob = content.member("blob");
    if ((text == null) == (blob == null)) {
      throw new MismatchException("its content is not either text or blob");
    }
    if (text != null && text.isString()) {
      return text.asString().getBytes(StandardCharsets.UTF_8);
    }
    try {
      if (blob != null && blob.isString()) {
        return Base64.getDecoder().decode(blob.asString());
      }
    } catch (IllegalArgumentException e) {
      throw new MismatchException("its blob is not base64");
    }
    throw new MismatchException("its content is no text");
  }

  private static String digest(byte[] bytes) {
    return "sha256:" + HexFormat.of().formatHex(Sha256.of(bytes));
  }

  private static int invisible(String text) {
    return (int)
        text.codePoints()
            .filter(c -> c != '\n' && c != '\r' && c != '\t' && SkillUri.isInvisible(c))
            .count();
  }
}
