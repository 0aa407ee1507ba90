package dev.mcpbus.protocol;

import java.text.Normalizer;
import java.util.Locale;

/**
 * The id of a server that a name stands for. Whatever takes a name (a file, a door, a policy, a
 * view) asks here before it decides anything by it, so {@code PROD}, a full-width {@code Prod} and
 * {@code prod} with a blank are one server everywhere. Stateless.
 */
public final class ServerId {

  /** A pattern that is written as ids are. */
  private static final String PATTERN = "[a-z0-9*?-]*";

  private ServerId() {}

  /** The id for a name. Not necessarily valid; no id of a name has two hyphens in a row. */
  public static String of(String name) {
    return joined(name).replaceAll("^-|-$", "");
  }

  /**
   * The pattern over ids for a glob over names: {@code *} and {@code ?} stay, and so does a hyphen
   * beside them. {@code _*} must not become {@code *}, which would permit everything.
   */
  public static String ofGlob(String glob) {
    if (glob.indexOf('*') < 0 && glob.indexOf('?') < 0) {
      return of(glob);
    }
    return glob.matches(PATTERN) ? glob : joined(glob).replaceAll("^-(?![*?])|(?<![*?])-$", "");
  }

  private static String joined(String name) {
    return compatible(name)
        .strip()
        .toLowerCase(Locale.ROOT)
        .replaceAll("[\\s_/:@+&()\\[\\],]+", "-")
        .replaceAll("-{2,}", "-");
  }

  /**
   * A pattern over ids; what is written like an id stays, because programs may choose any, and so
   * does what would become empty, and match the service.
   */
  public static String pattern(String glob) {
    String id = ofGlob(glob);
    return id.isEmpty() || glob.matches(PATTERN) ? glob : id;
  }

  /**
   * As {@link #pattern}, for the server before the first dot of a pattern for its items. What has a
   * {@code *} there may already be about an item, and stays.
   */
  public static String itemPattern(String glob) {
    int dot = glob.indexOf('.');
    int star = glob.indexOf('*');
    return dot < 0 || (star >= 0 && star < dot)
        ? glob
        : pattern(glob.substring(0, dot)) + glob.substring(dot);
  }

  /** NFKC. Most names are ASCII, which has one form, so that its tables need not be loaded. */
  public static String compatible(String name) {
    return name.chars().allMatch(c -> c < 0x80)
        ? name
        : Normalizer.normalize(name, Normalizer.Form.NFKC);
  }
}
