package dev.mcpbus.security;

import dev.mcpbus.protocol.Sha256;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Remembers which tokens had a valid signature of which key: a token comes with each request, and a
 * check of EdDSA or ES256 takes as long as ten calls. What is remembered is the digest of the whole
 * token, of valid ones alone; the claims are checked each time. Checks that fail are bounded by the
 * address of the caller. Any thread may call.
 */
public final class VerifiedSignatures {

  /** Tokens. The one that came longest ago goes. */
  static final int MAX = 4_096;

  /** Checks of one address that may fail at once, and in each second. */
  static final int FAILURES = 100;

  private static final class Seen extends LinkedHashMap<ByteBuffer, VerificationKey> {
    private static final long serialVersionUID = 1;

    Seen() {
      super(16, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<ByteBuffer, VerificationKey> eldest) {
      return size() > MAX;
    }
  }

  private final Seen seen = new Seen();
  private final AddressLimit failures;

  /**
   * @param nanos monotonic time in nanoseconds
   */
  public VerifiedSignatures(LongSupplier nanos) {
    failures = new AddressLimit(FAILURES, FAILURES, nanos);
  }

  /**
   * Whether {@code key} has signed the token; false without a check for a token that is not
   * remembered, of an address of which too many checks have failed.
   *
   * @param from the address of the caller
   */
  public boolean hasSigned(VerificationKey key, UnverifiedToken token, String from) {
    ByteBuffer digest = digest(token);
    synchronized (seen) {
      if (key.equals(seen.get(digest))) {
        return true;
      }
    }
    boolean valid =
        failures.admits(from) && key.hasSigned(token.signed(), token.signature().getBytes());
    if (valid) {
      failures.giveBack(from);
      synchronized (seen) {
        seen.put(digest, key);
      }
    }
    return valid;
  }

  private static ByteBuffer digest(UnverifiedToken token) {
    byte[] signed = token.signed().getBytes(StandardCharsets.US_ASCII);
    byte[] signature = token.signature().getBytes();
    byte[] whole =
        ByteBuffer.allocate(Integer.BYTES + signed.length + signature.length)
            .putInt(signed.length)
            .put(signed)
            .put(signature)
            .array();
    return ByteBuffer.wrap(Sha256.of(whole));
  }

  int size() {
    synchronized (seen) {
      return seen.size();
    }
  }
}
