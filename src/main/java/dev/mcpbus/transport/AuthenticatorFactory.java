package dev.mcpbus.transport;

import org.jspecify.annotations.Nullable;

/** Makes the authenticator of a server; the seam between transports and security. */
@FunctionalInterface
public interface AuthenticatorFactory {

  /** For transports without OAuth: refuses options that ask for it. */
  AuthenticatorFactory NONE =
      options -> {
        if (options.oauth() != null || options.headersHelper() != null) {
          throw new IllegalArgumentException(
              "the server asks for OAuth or a headersHelper, and no authenticator was given");
        }
        return null;
      };

  /**
   * The authenticator for {@code options}, or null where they ask for none.
   *
   * @throws IllegalArgumentException where the options cannot be used; never shows a secret
   */
  @Nullable Authenticator create(HttpOptions options);
}
