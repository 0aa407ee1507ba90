package dev.mcpbus.protocol;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Text that may hold a secret: an argument, the value of a variable or of a header, a URL, the
 * secret of a client. Whatever prints one prints {@value #MASK}, alone or inside a record, a
 * collection, a format or JSON.
 *
 * <p>{@link #reveal} is for three kinds of classes: those that hand the text to a process, a socket
 * or an encrypted store; those that read what a configuration means by it; and {@link Redactor},
 * which takes it out of other texts. A test of the architecture names every class that may. Compare
 * with {@link #equals}, and ask with {@link #isBlank} and {@link #anyMatch}; neither shows it.
 * Immutable.
 */
public final class Sensitive {

  /** What stands in the place of a secret, wherever something is shown. */
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

  /** Each of them, in the same order. */
  public static List<Sensitive> all(Collection<String> texts) {
    return texts.stream().map(Sensitive::of).toList();
  }

  /** With the names as they are. */
  public static Map<String, Sensitive> values(Map<String, String> texts) {
    Map<String, Sensitive> out = new LinkedHashMap<>();
    texts.forEach((name, text) -> out.put(name, of(text)));
    return out;
  }

  /** The text itself, for the classes that the architecture's test names. */
  public String reveal() {
    return text;
  }

  public boolean isEmpty() {
    return text.isEmpty();
  }

  public boolean isBlank() {
    return text.isBlank();
  }

  /** Whether one of its characters is such. */
  public boolean anyMatch(IntPredicate character) {
    return text.chars().anyMatch(character);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Sensitive sensitive && text.equals(sensitive.text);
  }

  /** The same for every text, since the hash of a short one tells it. */
  @Override
  public int hashCode() {
    return MASK.hashCode();
  }

  @Override
  public String toString() {
    return MASK;
  }
}
