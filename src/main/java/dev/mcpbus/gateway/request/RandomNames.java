package dev.mcpbus.gateway.request;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * Creates names that no client can guess, in hexadecimal digits. A name of the form {@code
 * <host>.<random>} says which session host or HTTP verticle holds what it names: a session, a
 * stream of HTTP+SSE, a parked call. Any thread may call.
 */
public final class RandomNames {

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int BYTES = 16;
  private static final Pattern HELD = Pattern.compile("[0-9a-f]{16}\\.[0-9a-f]{32}");

  private RandomNames() {}

  public static String create(int bytes) {
    byte[] random = new byte[bytes];
    RANDOM.nextBytes(random);
    return HexFormat.of().formatHex(random);
  }

  /** A name for something that {@code host} holds. */
  public static String heldBy(String host) {
    return host + "." + create(BYTES);
  }

  /** Whether the text of a client has the form of {@link #heldBy}. */
  public static boolean isHeld(String text) {
    return HELD.matcher(text).matches();
  }

  /** The session host or HTTP verticle for which {@link #heldBy} made this name. */
  public static String host(String name) {
    return name.substring(0, name.indexOf('.'));
  }
}
