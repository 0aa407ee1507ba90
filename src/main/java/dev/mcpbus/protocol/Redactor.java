package dev.mcpbus.protocol;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Removes the secrets of one server from texts about it: what spells a known value becomes {@value
 * Sensitive#MASK}, plain, with escapes of any kind, in Base64 or in hexadecimal digits, and so does
 * each of its lines. A secret that is a word or a small number is removed as a whole word alone,
 * another one wherever it stands. The cost is one pass over the text for each level of escapes in
 * it, whatever the number of secrets. Its own text never shows a secret. Immutable.
 */
@PublicApi
public final class Redactor {

  /** A redactor without secrets. */
  public static final Redactor NONE = new Redactor(Map.of(), 0);

  /** A shorter secret is not removed, because it would match too many harmless texts. */
  public static final int MIN_LENGTH = 4;

  /** A shorter line of a secret of several lines may stand in any text. */
  private static final int MIN_LINE = 8;

  /** A longer secret is not a word, even if it has only letters. */
  private static final int MAX_WORD = 15;

  /** JSON in a text in JSON, and so on. */
  private static final int MAX_LEVELS = 4;

  /** Characters of the longest escape of one character, a backslash, a letter and four digits. */
  private static final int ESCAPE = 6;

  /** Characters of a longest sequence that sets a color: a bound on the work at each place. */
  private static final int MAX_COLOR = 32;

  /** Behind a longer match the search does not look for one that begins within it. */
  private static final int MAX_OVERLAP = 64;

  /** What is searched for, in the order of its characters. */
  private final char[][] forms;

  /** For each form the longest other one with which it begins; -1 for none. */
  private final int[] within;

  /** Which forms are words. */
  private final BitSet words = new BitSet();

  /** The hashes of the first characters of all forms: most places of a text can be left at once. */
  private final BitSet beginnings = new BitSet(HASHES);

  private static final int HASHES = 4096;

  private final int longest;

  /**
   * @param all whether each form is a word
   * @param length of the longest secret
   */
  private Redactor(Map<String, Boolean> all, int length) {
    forms = all.keySet().stream().sorted().map(String::toCharArray).toArray(char[][]::new);
    within = new int[forms.length];
    longest = length * ESCAPE;
    for (int i = 0; i < forms.length; i++) {
      char[] form = forms[i];
      beginnings.set(hash(form, 0));
      words.set(i, all.getOrDefault(new String(form), false));
      int shorter = i - 1;
      while (shorter >= 0 && !startsWith(form, forms[shorter])) {
        shorter = within[shorter];
      }
      within[i] = shorter;
    }
  }

  /**
   * Creates a redactor.
   *
   * @param secrets of {@code scheme credentials} the second part also counts alone; those shorter
   *     than 4 characters are ignored. {@link SecretRules} says which values are secrets
   */
  public static Redactor of(Collection<Sensitive> secrets) {
    Map<String, Boolean> forms = new HashMap<>();
    int length = 0;
    for (Sensitive secret : secrets) {
      addValue(forms, secret.reveal());
      length = Math.max(length, secret.reveal().length());
    }
    return forms.isEmpty() ? NONE : new Redactor(forms, length);
  }

  /** The number of characters that the longest spelling of a secret has; 0 if there is none. */
  public int longest() {
    return longest;
  }

  public String redact(String text) {
    if (forms.length == 0 || text.length() < MIN_LENGTH) {
      return text;
    }
    SpelledText level = SpelledText.of(text);
    BitSet masked = new BitSet();
    for (int i = 0; level != null; i++) {
      find(level, masked);
      level = i < MAX_LEVELS ? level.decoded() : null;
    }
    return masked.isEmpty() ? text : masked(text, masked);
  }

  private static String masked(String text, BitSet masked) {
    StringBuilder out = new StringBuilder(text.length());
    int end = 0;
    for (int i = masked.nextSetBit(0); i >= 0; i = masked.nextSetBit(end)) {
      out.append(text, end, i).append(Sensitive.MASK);
      end = masked.nextClearBit(i);
    }
    return out.append(text, end, text.length()).toString();
  }

  /** Marks the characters of the original text that spell a secret. */
  private void find(SpelledText text, BitSet masked) {
    for (int i = 0; i + MIN_LENGTH <= text.chars.length; i++) {
      int form = beginnings.get(hash(text.chars, i)) ? longestAt(text, i) : -1;
      if (form >= 0) {
        int length = forms[form].length;
        masked.set(text.place(i), text.place(i + length));
        i += length > MAX_OVERLAP ? length - 1 : 0;
      }
    }
  }

  /** The longest form that stands at a place; -1 for none. */
  private int longestAt(SpelledText text, int at) {
    int low = 0;
    int high = forms.length - 1;
    while (low <= high) { // the last form that is not behind the text in the order
      int middle = (low + high) >>> 1;
      if (Arrays.compare(forms[middle], 0, forms[middle].length, text.chars, at, text.chars.length)
          <= 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    int form = high;
    int same = form < 0 ? 0 : common(forms[form], text, at);
    while (form >= 0 && (forms[form].length > same || !mayEnd(form, text, at))) {
      form = within[form];
    }
    return form;
  }

  private static int common(char[] form, SpelledText text, int at) {
    int to = Math.min(text.chars.length, at + form.length);
    int differs = Arrays.mismatch(form, 0, to - at, text.chars, at, to);
    return differs < 0 ? to - at : differs;
  }

  /** Whether a word begins and ends where a word of the text does. */
  private boolean mayEnd(int form, SpelledText text, int at) {
    int end = at + forms[form].length;
    return !words.get(form)
        || ((!goesOn(text.chars, at) || isBehindColor(text.chars, at)) && !goesOn(text.chars, end));
  }

  /** Whether a word has characters on both sides. Beside one of ASCII, other letters begin anew. */
  private static boolean goesOn(char[] text, int at) {
    return at > 0
        && at < text.length
        && Character.isLetterOrDigit(text[at - 1])
        && Character.isLetterOrDigit(text[at])
        && (text[at - 1] < 0x80) == (text[at] < 0x80);
  }

  /** Whether the letter before is the end of what sets a color on a terminal. */
  private static boolean isBehindColor(char[] text, int at) {
    int from = at - 2;
    while (from >= 1 && at - from < MAX_COLOR && (text[from] == ';' || isDigit(text[from]))) {
      from--;
    }
    return from >= 1 && text[from] == '[' && text[from - 1] == '\u001b';
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  /** Letters without digits, or digits alone. */
  private static boolean isWord(String form) {
    return form.length() <= MAX_WORD
        && (form.chars().noneMatch(Character::isDigit)
            || form.chars().allMatch(Character::isDigit));
  }

  private static boolean startsWith(char[] form, char[] start) {
    return form.length >= start.length
        && Arrays.equals(form, 0, start.length, start, 0, start.length);
  }

  private static int hash(char[] text, int at) {
    int mixed = ((text[at] * 31 + text[at + 1]) * 31 + text[at + 2]) * 31 + text[at + 3];
    return (mixed * 0x9E3779B1) >>> 20;
  }

  /** Redacts every text in the object, at every depth: names of members, too. */
  public JsonObject redact(JsonObject json) {
    if (forms.length == 0) {
      return json;
    }
    JsonObject out = new JsonObject();
    json.forEach(member -> out.put(redact(member.getKey()), value(member.getValue())));
    return out;
  }

  /** Redacts any JSON value. */
  public @Nullable Object value(@Nullable Object value) {
    if (value instanceof String text) {
      return redact(text);
    }
    if (value instanceof JsonObject object) {
      return redact(object);
    }
    if (value instanceof JsonArray array && forms.length > 0) {
      JsonArray out = new JsonArray();
      array.forEach(item -> out.add(value(item)));
      return out;
    }
    if (value instanceof Number number && forms.length > 0) {
      String text = number.toString();
      String shown = redact(text);
      return shown.equals(text) ? value : shown;
    }
    return value;
  }

  /** Adds the value, and the part behind an authentication scheme: servers echo either. */
  private static void addValue(Map<String, Boolean> forms, String value) {
    addForms(forms, value);
    String trimmed = value.strip();
    addForms(forms, trimmed);
    addLines(forms, trimmed);
    int blank = trimmed.indexOf(' ');
    if (blank > 0) {
      String rest = trimmed.substring(blank + 1).strip();
      addForms(forms, rest);
      if (trimmed.substring(0, blank).equalsIgnoreCase("Basic")) {
        addPassword(forms, rest);
      }
    }
  }

  /** Each line of a secret of several lines, such as a key: a log shows one line at a time. */
  private static void addLines(Map<String, Boolean> forms, String value) {
    if (value.indexOf('\n') >= 0) {
      value
          .lines()
          .map(String::strip)
          .filter(line -> line.length() >= MIN_LINE)
          .forEach(line -> forms.put(line, false));
    }
  }

  private static void addPassword(Map<String, Boolean> forms, String basic) {
    try {
      String pair = new String(Base64.getDecoder().decode(basic), StandardCharsets.UTF_8);
      addForms(forms, pair);
      addForms(forms, pair.substring(pair.indexOf(':') + 1));
    } catch (IllegalArgumentException e) {
      // Not Base64; the value itself is masked anyway.
    }
  }

  /** A text is decoded before it is compared, so a secret that holds an escape is, too. */
  private static void addForms(Map<String, Boolean> forms, String secret) {
    if (secret.length() < MIN_LENGTH) {
      return;
    }
    byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
    for (String base : List.of(secret, new String(bytes, StandardCharsets.ISO_8859_1))) {
      SpelledText level = SpelledText.of(base);
      for (int i = 0; level != null && level.chars.length >= MIN_LENGTH; i++) {
        String form = level.text();
        forms.merge(form, isWord(form), Boolean::logicalAnd);
        forms.merge(form.replace(' ', '+'), isWord(form), Boolean::logicalAnd); // in forms of HTML
        level = i < MAX_LEVELS ? level.decoded() : null;
      }
    }
    addBase64(forms, bytes);
    forms.put(HexFormat.of().formatHex(bytes), false);
    forms.put(HexFormat.of().withUpperCase().formatHex(bytes), false);
  }

  /**
   * Base64 at each of the three alignments, without the characters that also depend on adjacent
   * bytes.
   */
  private static void addBase64(Map<String, Boolean> forms, byte[] secret) {
    for (int shift = 0; shift < 3; shift++) {
      byte[] shifted = new byte[shift + secret.length];
      System.arraycopy(secret, 0, shifted, shift, secret.length);
      String text = Base64.getEncoder().withoutPadding().encodeToString(shifted);
      int from = (shift * 8 + 5) / 6;
      int to = shifted.length * 8 / 6;
      if (to - from >= MIN_LENGTH) {
        String core = text.substring(from, to);
        forms.put(core, false);
        forms.put(core.replace('+', '-').replace('/', '_'), false);
      }
    }
  }

  /** Shows no secret. */
  @Override
  public String toString() {
    return "redactor";
  }
}
