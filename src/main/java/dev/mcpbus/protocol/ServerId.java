package dev.mcpbus.protocol;

import java.text.Normalizer;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The id of a server that a name stands for. Whatever takes a name (a file, a door, a policy, a
 * view) asks here before it decides anything by it, so {@code PROD}, a full-width {@code Prod} and
 * {@code prod} with a blank are one server everywhere. Stateless: the same name has the same id on
 * every node and after every restart.
 *
 * <p>Names that differ by upper case, blanks, hyphens, underscores, Unicode forms, look-alike
 * letters or invisible characters alone are one name. A name that then consists of {@code
 * [a-z0-9-]} is its own id. Every other name, such as {@code io.github.Org/name}, has an id of a
 * readable part and 12 hex digits of a hash over the whole name, {@code
 * io-github-org-name--0123456789ab}: no two names share one, and no id without a hash has two
 * hyphens in a row. An id is the id of itself.
 */
public final class ServerId {

  /**
   * Second parts of the common addresses of the bus; a server with such an id would receive their
   * messages. A server of that name has an id with a hash.
   */
  public static final Set<String> RESERVED =
      Set.of(
          ("tools resources prompts skills servers credentials events input rpc supervisor catalog "
                  + "placement limits progress")
              .split(" "));

  /** A DNS label's. */
  private static final int MAX_LENGTH = 63;

  private static final String MARK = "--";
  private static final int DIGITS = 12;
  private static final int MAX_DOTS = 32;

  /** The readable part of an id with a hash, at most. */
  private static final int READABLE = MAX_LENGTH - MARK.length() - DIGITS;

  /** Ends a pattern over ids, and stands for any hash. */
  private static final String ANY_HASH = MARK + "?".repeat(DIGITS);

  private static final Pattern HASHED = Pattern.compile("[a-z0-9][a-z0-9-]{0,48}--[0-9a-f]{12}");

  /** A pattern that is written as ids are. */
  private static final Pattern PATTERN = Pattern.compile("[a-z0-9*?-]*");

  private static final Pattern GAP =
      Pattern.compile("[_\\-\\p{javaWhitespace}\\p{javaSpaceChar}]++");

  private static final Pattern BETWEEN_WORDS = Pattern.compile("[^a-z0-9\\p{javaLowerCase}]++");

  /** Pairs of a character and the ASCII letter that it looks like. */
  private static final String LOOK_ALIKES =
      // Cyrillic
      "\u0430a\u0432b\u0441c\u0501d\u0435e\u04bbh\u0456i\u0458j\u043ak\u04cfl\u043cm\u043eo\u0440p"
          + "\u051bq\u0455s\u0442t\u0475v\u0461w\u0445x\u0443y\u0410A\u0412B\u0421C\u0415E\u041dH"
          + "\u0406I\u0408J\u041aK\u04c0l\u041cM\u041eO\u0420P\u0405S\u0422T\u0425X\u0423Y\u0261g"
          // Greek
          + "\u03b1a\u03b5e\u03b9i\u03bak\u03bdv\u03bfo\u03c1p\u03c4t\u03c5u\u03c7x\u03c9w\u03b3y"
          + "\u0391A\u0392B\u0395E\u0396Z\u0397H\u0399I\u039aK\u039cM\u039dN\u039fO\u03a1P\u03a4T"
          + "\u03a5Y\u03a7X"
          // Latin letters without a dot, and some dashes
          + "\u0131i\u0237j\u0269i\u2010-\u2011-\u2012-\u2013-\u2014-\u2212-";

  private static final Map<Integer, Integer> ASCII_OF = table();

  private ServerId() {}

  private static Map<Integer, Integer> table() {
    Map<Integer, Integer> map = new HashMap<>();
    for (int i = 0; i < LOOK_ALIKES.length(); i += 2) {
      map.put((int) LOOK_ALIKES.charAt(i), (int) LOOK_ALIKES.charAt(i + 1));
    }
    return Map.copyOf(map);
  }

  /**
   * The id for a name, a valid one; empty for a name of blanks, hyphens and underscores alone. Two
   * names have the same id only if they mean the same server. Takes a time proportional to the
   * name.
   */
  public static String of(String name) {
    String compared = compared(name).strip();
    String id = trimmed(joined(compared));
    if (HASHED.matcher(compared).matches()) {
      return compared;
    }
    if (id.isEmpty() || (isPlain(id) && id.length() <= MAX_LENGTH && !RESERVED.contains(id))) {
      return id;
    }
    String readable = readable(id);
    return (readable.isEmpty() ? "server" : readable) + MARK + Sha256.hex(id).substring(0, DIGITS);
  }

  /** Whether an id tells its name only in part, so that people need the name beside it. */
  public static boolean isHashed(String id) {
    return HASHED.matcher(id).matches();
  }

  /** The ASCII letter that a character looks like; the character itself if it is like none. */
  public static int ascii(int point) {
    return ASCII_OF.getOrDefault(point, point);
  }

  /**
   * The pattern over ids for a glob over names: {@code *} and {@code ?} stay, and so does a hyphen
   * beside them. {@code _*} must not become {@code *}, which would permit everything.
   *
   * @return a glob with characters that no id has, for one that {@link #isOverIds} refuses
   */
  public static String ofGlob(String glob) {
    if (!isGlob(glob)) {
      return of(glob);
    }
    if (PATTERN.matcher(glob).matches()) {
      return glob;
    }
    String compared = compared(glob);
    StringBuilder out = new StringBuilder();
    compared
        .codePoints()
        .map(c -> c > 0x7E || c == '*' || c == '?' || isLetterOrDigit(c) ? c : '-')
        .forEach(out::appendCodePoint);
    return joined(out.toString()).replaceAll("^-(?![*?])|(?<![*?])-$", "");
  }

  /**
   * Whether a text can be compared with ids: a name can; a glob only if it is of ASCII, because an
   * id does not have the other characters of its name.
   */
  public static boolean isOverIds(String glob) {
    return !isGlob(glob) || PATTERN.matcher(ofGlob(glob)).matches();
  }

  /**
   * All patterns over ids for the servers of a policy. Ids with a hash are matched by the part
   * before it. A denial of one name also denies the names that differ from it by signs alone: for
   * {@code prod} also {@code prod.} and {@code (prod)}, so that nobody gets past it by a sign.
   *
   * @param written a name, an id, or a glob
   */
  public static List<String> patterns(String written, boolean denial) {
    String id = ofGlob(written);
    if (id.isEmpty() || id.equals("*")) {
      return List.of(written); // empty is the service itself, which no name means
    }
    boolean isWide = isGlob(written) || (denial && !isHashed(id));
    String hashed = (denial ? cut(id) : id) + ANY_HASH;
    return Stream.of(written, id, isWide ? hashed : id).distinct().toList();
  }

  /** A glob whose plain beginning is longer than the readable part of an id. */
  private static String cut(String id) {
    int star = id.indexOf('*');
    boolean isLong = star > READABLE || (star < 0 && id.length() > READABLE);
    return isLong ? trimmed(id.substring(0, READABLE)) : id;
  }

  /**
   * A pattern over ids; what is written like an id stays, because programs may choose any, and so
   * does what would become empty, and match the service.
   */
  public static String pattern(String glob) {
    String id = ofGlob(glob);
    return id.isEmpty() || PATTERN.matcher(glob).matches() ? glob : id;
  }

  /**
   * As {@link #pattern}, for the server at the begin of a pattern for its items, {@code
   * server.item}. The server ends at the first dot, or at a later one before which one of {@code
   * names} stands, with at most 32 dots. What has a {@code *} there may already be about an item,
   * and stays.
   */
  public static UnaryOperator<String> itemPatterns(Collection<String> names) {
    Set<String> ids =
        names.stream()
            .filter(name -> name.indexOf('.') >= 0)
            .map(ServerId::of)
            .collect(Collectors.toSet());
    return glob -> itemPattern(glob, ids);
  }

  /**
   * All patterns for a denial of items, {@code server.item}. Its server may end at each of the
   * first 32 dots, and have the hash of a name that differs by signs alone: no caller gets past a
   * denial by the name of a server that is added later.
   */
  public static Stream<String> itemDenials(String glob) {
    Stream.Builder<String> all = Stream.<String>builder().add(glob);
    int dot = glob.indexOf('.');
    for (int i = 0; i < MAX_DOTS && dot >= 0; i++) {
      String item = glob.substring(dot);
      patterns(glob.substring(0, dot), true).forEach(server -> all.add(server + item));
      dot = glob.indexOf('.', dot + 1);
    }
    return all.build().distinct();
  }

  private static String itemPattern(String glob, Set<String> ids) {
    int dot = glob.indexOf('.');
    int more = ids.isEmpty() ? -1 : dot;
    for (int i = 0; i < MAX_DOTS && more >= 0; i++) {
      more = glob.indexOf('.', more + 1);
      dot = more >= 0 && ids.contains(of(glob.substring(0, more))) ? more : dot;
    }
    int star = glob.indexOf('*');
    return dot < 0 || (star >= 0 && star < dot)
        ? glob
        : pattern(glob.substring(0, dot)) + glob.substring(dot);
  }

  /** NFKC. Most names are ASCII, which has one form, so that its tables need not be loaded. */
  public static String compatible(String name) {
    return isAscii(name) ? name : Normalizer.normalize(name, Normalizer.Form.NFKC);
  }

  // ---- the steps

  /**
   * The form in which names are compared, but for blanks: one case, one Unicode form, ASCII letters
   * in place of those that look like them, and no invisible characters.
   */
  private static String compared(String name) {
    if (isAscii(name)) {
      return name.toLowerCase(Locale.ROOT);
    }
    StringBuilder lower = new StringBuilder();
    compatible(name)
        .codePoints()
        .filter(c -> !isInvisible(c))
        .map(Character::toLowerCase)
        .forEach(lower::appendCodePoint);
    // Upper case makes one of letters that are one there alone, such as two forms of a sigma.
    StringBuilder out = new StringBuilder();
    compatible(lower.toString().toUpperCase(Locale.ROOT))
        .codePoints()
        .map(Character::toLowerCase)
        .map(ServerId::ascii)
        .forEach(out::appendCodePoint);
    return out.toString();
  }

  /** Characters that a Java of another version may know are no such: an id must not change. */
  private static boolean isInvisible(int c) {
    int type = Character.getType(c);
    return Printable.isHidden(c)
        && type != Character.UNASSIGNED
        && type != Character.PRIVATE_USE
        && !Character.isWhitespace(c);
  }

  /** One hyphen for each run of blanks, underscores and hyphens. */
  private static String joined(String text) {
    return GAP.matcher(text).replaceAll("-");
  }

  private static String trimmed(String id) {
    int from = id.startsWith("-") ? 1 : 0;
    int to = id.length() - (id.length() > from && id.endsWith("-") ? 1 : 0);
    return id.substring(from, to);
  }

  /**
   * The words of ASCII letters and digits, without accents. A word with a letter of another
   * alphabet is left out as a whole, because some of its letters may be there as their look-alikes.
   */
  private static String readable(String id) {
    String plain =
        isAscii(id)
            ? id
            : Normalizer.normalize(id, Normalizer.Form.NFKD).replaceAll("\\p{Mn}++", "");
    String text =
        BETWEEN_WORDS
            .splitAsStream(plain)
            .filter(word -> !word.isEmpty() && isPlain(word))
            .collect(Collectors.joining("-"));
    return text.length() <= READABLE ? text : trimmed(text.substring(0, READABLE));
  }

  private static boolean isGlob(String text) {
    return text.indexOf('*') >= 0 || text.indexOf('?') >= 0;
  }

  private static boolean isPlain(String id) {
    return id.chars().allMatch(c -> c == '-' || isLetterOrDigit(c));
  }

  private static boolean isLetterOrDigit(int c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  }

  private static boolean isAscii(String text) {
    return text.chars().allMatch(c -> c < 0x80);
  }
}
