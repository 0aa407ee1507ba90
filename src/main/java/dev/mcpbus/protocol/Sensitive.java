package dev.mcpbus.protocol;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A text that may contain a secret: an argument, the value of a variable or of a header, a URL, a
 * client secret. Every output of it shows {@value #MASK}: alone or inside a record, a collection, a
 * format or JSON. Immutable.
 *
 * <p>Three kinds of classes may call {@link #reveal}: those that pass the text to a process, a
 * socket or an encrypted store; those that interpret a configuration; and {@link Redactor}, which
 * removes it from other texts. {@code GuardedRightsTest} lists every class that may. To compare or
 * test a text, use {@link #equals}, {@link #isBlank} and {@link #anyMatch}; none of them reveals
 * it.
 */
@PublicApi
public final class Sensitive {

  /** Shown in place of a secret. */
  public static final String MASK = "***";

  private final String text;

  private Sensitive(String text) {
    this.text = Objects.requireNonNull(text, "text");
  }

  public static Sensitive of(String text) {
    return new Sensitive(text);
  }

  /** Null for null. */
  public static @Nullable Sensitive ofNullable(@Nullable String text) {
    return text == null ? null : new Sensitive(text);
  }

  /** Wraps each of them, in the same order. */
  public static List<Sensitive> all(Collection<String> texts) {
    return texts.stream().map(Sensitive::of).toList();
  }

  /** Wraps the values; the names stay. */
  public static Map<String, Sensitive> values(Map<String, String> texts) {
    Map<String, Sensitive> out = new LinkedHashMap<>();
    texts.forEach((name, text) -> out.put(name, of(text)));
    return out;
  }

  /** The text itself, for the classes that {@code GuardedRightsTest} lists. */
  public String reveal() {
    return text;
  }

  public boolean isEmpty() {
    return text.isEmpty();
  }

  public boolean isBlank() {
    return text.isBlank();
  }

  /** Whether at least one character matches. */
  public boolean anyMatch(IntPredicate character) {
    return text.chars().anyMatch(character);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Sensitive sensitive && text.equals(sensitive.text);
  }

  /** The same for every text, because the hash of a short text would reveal it. */
  @Override
  public int hashCode() {
    return MASK.hashCode();
  }

  @Override
  public String toString() {
    return MASK;
  }
}
