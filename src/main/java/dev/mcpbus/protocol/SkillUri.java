package dev.mcpbus.protocol;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The URIs of a skill and its files (SEP-2640, Resource Mapping). A skill is named by the URI of
 * its {@code SKILL.md}; its files are below the directory of that one. A URI here is in one form:
 * no segment is empty, {@code .} or {@code ..}, also not in percent-encoding, and no character is
 * invisible. So a prefix decides whether a file belongs to a skill. Pure functions.
 */
public final class SkillUri {

  private static final String FILE = "/SKILL.md";
  private static final int MAX_LENGTH = 2048;

  private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*://");

  /** Agent Skills, name: 1 to 64 characters, no hyphen at an end and no two in a row. */
  private static final Pattern NAME = Pattern.compile("(?!.*--)[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?");

  /** Characters that have a second meaning in a URI, in percent-encoding. */
  private static final Pattern HIDDEN =
      Pattern.compile("%(2e|2f|5c|3f|23|25|[01][0-9a-f]|7f)", Pattern.CASE_INSENSITIVE);

  private SkillUri() {}

  /** Why the URI cannot be that of a skill's {@code SKILL.md}; null if it can. */
  public static @Nullable String problem(String uri) {
    if (!uri.endsWith(FILE)) {
      return "its uri does not end with " + FILE;
    }
    String reason = problemOfPath(uri);
    if (reason != null) {
      return "its uri " + reason;
    }
    return NAME.matcher(name(uri)).matches()
        ? null
        : "the last directory of its uri is no name of a skill";
  }

  /** The directory of a skill that {@link #problem} finds good, without a slash at its end. */
  public static String root(String uri) {
    return uri.substring(0, uri.length() - FILE.length());
  }

  /** The name of a skill: the last directory of its URI. */
  public static String name(String uri) {
    String root = root(uri);
    return root.substring(root.lastIndexOf('/') + 1);
  }

  /** Whether {@code file} is below the directory of {@code skill}, in the form described above. */
  public static boolean contains(String skill, String file) {
    return file.startsWith(root(skill) + "/") && problemOfPath(file) == null;
  }

  /**
   * The URI of a file of a skill.
   *
   * @param path relative to the directory of the skill, such as {@code references/FORMS.md}, or the
   *     whole URI
   * @return null if the path leads out of that directory, or could be read in two ways
   */
  public static @Nullable String file(String skill, String path) {
    String plain = path.startsWith("./") ? path.substring(2) : path;
    String uri = SCHEME.matcher(plain).lookingAt() ? plain : root(skill) + "/" + plain;
    return contains(skill, uri) ? uri : null;
  }

  private static @Nullable String problemOfPath(String uri) {
    if (uri.length() > MAX_LENGTH) {
      return "has more than " + MAX_LENGTH + " characters";
    }
    Matcher scheme = SCHEME.matcher(uri);
    if (!scheme.lookingAt()) {
      return "has no scheme";
    }
    if (uri.codePoints().anyMatch(SkillUri::isAmbiguous)) {
      return "has a character that cannot be seen, or that ends a path";
    }
    if (HIDDEN.matcher(uri).find()) {
      return "has a percent-encoded dot, slash or control character";
    }
    for (String segment : uri.substring(scheme.end()).split("/", -1)) {
      if (segment.isEmpty() || segment.equals(".") || segment.equals("..")) {
        return "has an empty segment, \".\" or \"..\"";
      }
    }
    return null;
  }

  private static boolean isAmbiguous(int character) {
    return character == '\\'
        || character == '?'
        || character == '#'
        || Character.isWhitespace(character)
        || Character.isSpaceChar(character)
        || isInvisible(character);
  }

  /**
   * Whether a person does not see the character while a model reads it: control and format
   * characters, among them the tags of Unicode, and characters that no version assigns.
   */
  public static boolean isInvisible(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED ->
          true;
      default -> isVariationSelector(character);
    };
  }

  private static boolean isVariationSelector(int character) {
    return character >= 0xE0100 && character <= 0xE01EF;
  }
}
