package dev.mcpbus.protocol;

import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Removes the secrets of one server from texts about it: every occurrence of a known value, plain,
 * escaped as in JSON, URL-encoded or in Base64, or one of its lines, becomes {@value
 * Sensitive#MASK}. Its own text never shows a secret. Immutable.
 */
@PublicApi
public final class Redactor {

  /** A redactor without secrets. */
  public static final Redactor NONE = new Redactor(Set.of());

  /** A shorter secret is not removed, because it would match too many harmless texts. */
  public static final int MIN_LENGTH = 4;

  /** A shorter line of a secret of several lines may stand in any text. */
  private static final int MIN_LINE = 8;

  private static final Pattern PERCENT = Pattern.compile("%[0-9A-F]{2}");

  private final List<String> forms;

  private Redactor(Set<String> forms) {
    // The longest first: otherwise a secret within another one would leave the rest of that one
    // visible.
    this.forms = forms.stream().sorted(Comparator.comparingInt(String::length).reversed()).toList();
  }

  /**
   * Creates a redactor.
   *
   * @param secrets values such as those of environment variables and headers; of {@code scheme
   *     credentials} the second part also counts alone; values shorter than 4 characters are
   *     ignored
   */
  public static Redactor of(Collection<Sensitive> secrets) {
    Set<String> forms = new LinkedHashSet<>();
    secrets.forEach(secret -> addValue(forms, secret.reveal()));
    return forms.isEmpty() ? NONE : new Redactor(forms);
  }

  /** The length of the longest form of a secret; 0 if there is none. */
  public int longest() {
    return forms.isEmpty() ? 0 : forms.get(0).length();
  }

  public String redact(String text) {
    String out = text;
    for (String form : forms) {
      out = out.replace(form, Sensitive.MASK);
    }
    return out;
  }

  /** Redacts every text in the object, at every depth; names of members stay. */
  public JsonObject redact(JsonObject json) {
    if (forms.isEmpty()) {
      return json;
    }
    JsonObject out = new JsonObject();
    json.forEach(member -> out.put(member.getKey(), value(member.getValue())));
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
    if (value instanceof JsonArray array && !forms.isEmpty()) {
      JsonArray out = new JsonArray();
      array.forEach(item -> out.add(value(item)));
      return out;
    }
    return value;
  }

  /** Adds the value, and the part behind an authentication scheme: servers echo either. */
  private static void addValue(Set<String> forms, String value) {
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
  private static void addLines(Set<String> forms, String value) {
    if (value.indexOf('\n') >= 0) {
      value
          .lines()
          .map(String::strip)
          .filter(line -> line.length() >= MIN_LINE)
          .forEach(forms::add);
    }
  }

  private static void addPassword(Set<String> forms, String basic) {
    try {
      String pair = new String(Base64.getDecoder().decode(basic), StandardCharsets.UTF_8);
      addForms(forms, pair);
      addForms(forms, pair.substring(pair.indexOf(':') + 1));
    } catch (IllegalArgumentException e) {
      // Not Base64; the value itself is masked anyway.
    }
  }

  private static void addForms(Set<String> forms, String secret) {
    if (secret.length() < MIN_LENGTH) {
      return;
    }
    forms.add(secret);
    String escaped = Json.encode(secret);
    forms.add(escaped.substring(1, escaped.length() - 1));
    String url = URLEncoder.encode(secret, StandardCharsets.UTF_8);
    for (String form : List.of(url, url.replace("+", "%20"))) {
      forms.add(form);
      forms.add(lowerHex(form));
    }
    addBase64(forms, secret.getBytes(StandardCharsets.UTF_8));
  }

  private static String lowerHex(String url) {
    return PERCENT.matcher(url).replaceAll(hex -> hex.group().toLowerCase(Locale.ROOT));
  }

  /**
   * Base64 at each of the three alignments, without the characters that also depend on adjacent
   * bytes.
   */
  private static void addBase64(Set<String> forms, byte[] secret) {
    for (int shift = 0; shift < 3; shift++) {
      byte[] shifted = new byte[shift + secret.length];
      System.arraycopy(secret, 0, shifted, shift, secret.length);
      String text = Base64.getEncoder().withoutPadding().encodeToString(shifted);
      int from = (shift * 8 + 5) / 6;
      int to = shifted.length * 8 / 6;
      if (to - from >= MIN_LENGTH) {
        String core = text.substring(from, to);
        forms.add(core);
        forms.add(core.replace('+', '-').replace('/', '_'));
      }
    }
  }

  /** Shows no secret. */
  @Override
  public String toString() {
    return "redactor";
  }
}
