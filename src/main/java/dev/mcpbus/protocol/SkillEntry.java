package dev.mcpbus.protocol;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An entry of {@code skills/list}, or the {@code skill} of {@code skills/get} (SEP-2640): what a
 * skill consists of. Immutable.
 *
 * @param uri of its {@code SKILL.md}
 * @param frontmatter as the server gives it, with a name and a description
 * @param files each file of the skill by its URI, its {@code SKILL.md} included; null for a skill
 *     that is made while it is read ({@code "dynamic"}), whose content cannot be verified
 */
public record SkillEntry(String uri, RawJson frontmatter, @Nullable Map<String, SkillFile> files) {

  /** What every host takes (SEP-2640, Limits); skills beyond it are refused. */
  public static final int MAX_FILES = 512;

  /** The bytes of all files of a skill. */
  public static final long MAX_BYTES = 16L * 1024 * 1024;

  private static final Pattern DIGEST = Pattern.compile("sha256:[0-9a-f]{64}");
  private static final String DYNAMIC = "dynamic";

  /**
   * One file.
   *
   * @param digest {@code sha256:} and 64 hexadecimal digits
   * @param size in bytes
   */
  public record SkillFile(String digest, long size) {}

  /** The entry does not follow SEP-2640; the message says where. */
  public static final class InvalidSkillException extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean large;

    InvalidSkillException(String message, boolean large) {
      super(message);
      this.large = large;
    }

    /** Whether the skill is only larger than {@link #MAX_FILES} or {@link #MAX_BYTES}. */
    public boolean isTooLarge() {
      return large;
    }
  }

  /** Why a host must not load the skill; null if it may. */
  public static @Nullable String problem(RawJson entry) {
    try {
      of(entry);
      return null;
    } catch (InvalidSkillException e) {
      return e.getMessage();
    }
  }

  /**
   * Reads an entry.
   *
   * @throws InvalidSkillException with the reason, if a host must not load the skill
   */
  public static SkillEntry of(RawJson entry) throws InvalidSkillException {
    String twice = entry.isObject() ? entry.ambiguity() : "";
    if (twice != null) {
      throw invalid(twice.isEmpty() ? "it is no object" : "it has \"" + twice + "\" twice");
    }
    String uri = text(entry, "uri", "it");
    String reason = SkillUri.problem(uri);
    if (reason != null) {
      throw invalid(reason);
    }
    RawJson frontmatter = entry.member("frontmatter");
    if (frontmatter == null || !frontmatter.isObject()) {
      throw invalid("its frontmatter is no object");
    }
    text(frontmatter, "description", "its frontmatter");
    if (!text(frontmatter, "name", "its frontmatter").equals(SkillUri.name(uri))) {
      throw invalid("the name in its frontmatter is not the last directory of its uri");
    }
    return new SkillEntry(uri, frontmatter, files(uri, entry.member("resources")));
  }

  private static @Nullable Map<String, SkillFile> files(String uri, @Nullable RawJson resources)
      throws InvalidSkillException {
    if (resources != null && resources.isString() && resources.asString().equals(DYNAMIC)) {
      return null;
    }
    if (resources == null || !resources.isArray()) {
      throw invalid("its resources are neither a list nor \"" + DYNAMIC + "\"");
    }
    Map<String, SkillFile> files = new LinkedHashMap<>();
    long bytes = 0;
    for (RawJson resource : resources.elements()) {
      if (files.size() == MAX_FILES) {
        throw new InvalidSkillException(
            "it has more than " + MAX_FILES + " files, which hosts need not take", true);
      }
      String file = resource.isObject() ? text(resource, "uri", "one of its resources") : "";
      SkillFile described = file(resource);
      if (!SkillUri.contains(uri, file) || described == null) {
        throw invalid(
            "one of its resources has no uri below its directory, no digest sha256:<64 hexadecimal"
                + " digits>, or no size");
      }
      if (files.put(file, described) != null) {
        throw invalid("its resources have a file twice");
      }
      bytes += described.size();
    }
    if (bytes > MAX_BYTES) {
      throw new InvalidSkillException(
          "its files have " + bytes + " bytes, hosts need not take more than " + MAX_BYTES, true);
    }
    if (!files.containsKey(uri)) {
      throw invalid("its resources lack its SKILL.md");
    }
    return files;
  }

  private static @Nullable SkillFile file(RawJson resource) {
    RawJson digest = resource.isObject() ? resource.member("digest") : null;
    RawJson size = resource.isObject() ? resource.member("size") : null;
    if (digest == null
        || !digest.isString()
        || !DIGEST.matcher(digest.asString()).matches()
        || size == null
        || !size.toString().matches("[0-9]{1,15}")) {
      return null;
    }
    return new SkillFile(digest.asString(), size.asLong());
  }

  private static String text(RawJson of, String member, String what) throws InvalidSkillException {
    RawJson value = of.member(member);
    if (value == null || !value.isString() || value.asString().isEmpty()) {
      throw invalid(what + " has no " + member);
    }
    return value.asString();
  }

  private static InvalidSkillException invalid(String reason) {
    return new InvalidSkillException(reason, false);
  }
}
