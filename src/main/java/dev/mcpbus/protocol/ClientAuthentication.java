package dev.mcpbus.protocol;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Client authentication at a token endpoint; the lower-case name is the one of OAuth metadata. */
public enum ClientAuthentication {
  NONE,
  CLIENT_SECRET_BASIC,
  CLIENT_SECRET_POST,
  PRIVATE_KEY_JWT;

  public String wire() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The method of that name, or null if there is none. */
  public static @Nullable ClientAuthentication of(@Nullable String wire) {
    for (ClientAuthentication method : values()) {
      if (method.wire().equals(wire)) {
        return method;
      }
    }
    return null;
  }
}
