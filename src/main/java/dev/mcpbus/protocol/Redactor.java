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
 * Takes the secrets of one server out of texts about it: every occurrence of a known value, plain,
 * escaped as in JSON, URL-encoded or in Base64, becomes {@value Sensitive#MASK}. Shows none of them
 * itself. Immutable.
 */
public final class Redactor {

  /** Knows no secret. */
  public static final Redactor NONE = new Redactor(Set.of());

  /** What is shorter is too common to be taken out wherever it stands. */
  public static final int MIN_LENGTH = 4;

  private static final Pattern PERCENT = Pattern.compile("%[0-9A-F]{2}");

  private final List<String> forms;

  private Redactor(Set<String> forms) {
    // The longest first: a secret that contains another must not be half masked.
    this.forms = forms.stream().sorted(Comparator.comparingInt(String::length).reversed()).toList();
  }

  /**
   * @param secrets values such as those of environment variables and headers; of {@code scheme
   *     credentials} the second part counts by itself, too; those shorter than 4 characters are
   *     left alone
   */
  public static Redactor of(Collection<Sensitive> secrets) {
    Set<String> forms = new LinkedHashSet<>();
    secrets.forEach(secret -> addValue(forms, secret.reveal()));
    return forms.isEmpty() ? NONE : new Redactor(forms);
  }

  /** Characters of the longest form of a secret; 0 where none is known. */
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

  /** With each text in it redacted, at every depth; names of members stay. */
  public JsonObject redact(JsonObject json) {
    if (forms.isEmpty()) {
      return json;
    }
    JsonObject out = new JsonObject();
    json.forEach(member -> out.put(member.getKey(), value(member.getValue())));
    return out;
  }

  /** The same for any value of JSON. */
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

  /** The value, and what follows an authentication scheme in it: servers echo either. */
  private static void addValue(Set<String> forms, String value) {
    addForms(forms, value);
    String trimmed = value.strip();
    addForms(forms, trimmed);
    int blank = trimmed.indexOf(' ');
    if (blank > 0) {
      String rest = trimmed.substring(blank + 1).strip();
      addForms(forms, rest);
      if (trimmed.substring(0, blank).equalsIgnoreCase("Basic")) {
        addPassword(forms, rest);
      }
    }
  }

  private static void addPassword(Set<String> forms, String basic) {
    try {
      String pair = new String(Base64.getDecoder().decode(basic), StandardCharsets.UTF_8);
      addForms(forms, pair);
      addForms(forms, pair.substring(pair.indexOf(':') + 1));
    } catch (IllegalArgumentException e) {
      // Not Base64 after all: the value itself is masked in any case.
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

  /** Base64 at each of the three alignments, less the characters that neighbours also decide. */
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

  /** Says nothing of what it knows. */
  @Override
  public String toString() {
    return "redactor";
  }
}
