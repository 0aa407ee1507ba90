package dev.mcpbus.security.signin;

import dev.mcpbus.security.oauth.AesGcmSeal;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Objects as texts that only mcpbus can read and make, on every node: registrations, logins under
 * way, codes, refresh tokens. Each text has a purpose and an end; each purpose has a key of its own
 * for each day, so that no key seals more than AES-GCM with random nonces allows. Thread-safe.
 */
final class SealedTexts {

  /** What a text is for: a text of one purpose is none of another. */
  enum Purpose {
    /** A registered client. */
    CLIENT,
    /** What a consent page asks for. */
    CONSENT,
    /** A login at the provider. */
    STATE,
    /** An authorization code. */
    CODE,
    /** A refresh token. */
    REFRESH,
    /** A device code. */
    DEVICE
  }

  /** Characters. Longer texts are no texts of ours. */
  static final int LONGEST = 8 * 1024;

  /** Days. Nothing is sealed for longer. */
  private static final int OLDEST = 400;

  private static final int KEYS = 64;
  private static final String END = "x";
  private static final int RADIX = 36;

  private final Function<String, byte[]> secret;
  private final InstantSource clock;

  private final Map<String, AesGcmSeal> seals =
      new LinkedHashMap<>(KEYS, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, AesGcmSeal> eldest) {
          return size() > KEYS;
        }
      };

  /**
   * @param secret the key of 32 bytes for a purpose, the same on all nodes
   */
  SealedTexts(Function<String, byte[]> secret, InstantSource clock) {
    this.secret = secret;
    this.clock = clock;
  }

  /**
   * @param content without the member {@value #END}
   * @param lifetime of the text; at most 400 days
   */
  String seal(Purpose purpose, JsonObject content, Duration lifetime) {
    long now = clock.instant().getEpochSecond();
    long day = Math.floorDiv(now, 86_400L);
    JsonObject whole = content.copy().put(END, now + lifetime.toSeconds());
    try {
      byte[] sealed = seal(purpose, day).seal(whole.toBuffer().getBytes(), place(purpose, day));
      return Long.toString(day, RADIX)
          + "."
          + Base64.getUrlEncoder().withoutPadding().encodeToString(sealed);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("AES-GCM is missing; every Java runtime has it", e);
    }
  }

  /** The content; null for a text that is none of ours, is of another purpose, or has ended. */
  @Nullable JsonObject open(Purpose purpose, @Nullable String text) {
    int dot = text == null ? -1 : text.indexOf('.');
    if (text == null || dot < 1 || dot > 8 || text.length() > LONGEST) {
      return null;
    }
    long now = clock.instant().getEpochSecond();
    try {
      long day = Long.parseLong(text.substring(0, dot), RADIX);
      long today = Math.floorDiv(now, 86_400L);
      if (day < today - OLDEST || day > today + 1) {
        return null;
      }
      byte[] sealed = Base64.getUrlDecoder().decode(text.substring(dot + 1));
      JsonObject whole =
          new JsonObject(Buffer.buffer(seal(purpose, day).open(sealed, place(purpose, day))));
      return whole.getValue(END) instanceof Number end && end.longValue() > now ? whole : null;
    } catch (GeneralSecurityException | IllegalArgumentException | DecodeException e) {
      return null;
    }
  }

  private AesGcmSeal seal(Purpose purpose, long day) {
    String key = "signin " + purpose.name().toLowerCase(Locale.ROOT) + " " + day;
    synchronized (seals) {
      return seals.computeIfAbsent(
          key, absent -> AesGcmSeal.of(Base64.getEncoder().encodeToString(secret.apply(key))));
    }
  }

  private static byte[] place(Purpose purpose, long day) {
    return (purpose + " " + day).getBytes(StandardCharsets.US_ASCII);
  }
}
