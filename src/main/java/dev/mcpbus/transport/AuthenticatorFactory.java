package dev.mcpbus.transport;

import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/** Creates the authenticator of a server; the seam between transports and security. */
@FunctionalInterface
public interface AuthenticatorFactory {

  /** For transports without OAuth: refuses options with OAuth or a headersHelper. */
  AuthenticatorFactory NONE =
      options -> {
        if (options.oauth() != null || options.headersHelper() != null) {
          throw new IllegalArgumentException(
              "the options need OAuth or a headersHelper, but no authenticator was given");
        }
        return null;
      };

  /**
   * The authenticator for {@code options}, or null if the options need none.
   *
   * @throws IllegalArgumentException if the options are not valid; the message never shows a secret
   */
  @Nullable Authenticator create(HttpOptions options);

  /**
   * As {@link #create(HttpOptions)}, for one server.
   *
   * @param server its id, by which a person is told that it wants a login
   */
  default @Nullable Authenticator create(String server, HttpOptions options) {
    return create(options);
  }

  /**
   * As {@link #create(String, HttpOptions)}, for the connection of one principal: no credential of
   * anybody else may go out on it.
   *
   * @param principal null for the one connection of all
   */
  default @Nullable Authenticator create(
      String server, @Nullable String principal, HttpOptions options) {
    if (principal != null && options.oauth() != null) {
      throw new IllegalArgumentException("these credentials are not kept for each principal");
    }
    return create(server, options);
  }

  /**
   * What is stored for a principal has changed: what is stored no more is not used any more.
   *
   * @param server null for all servers
   */
  default void changed(String principal, @Nullable String server) {}

  /**
   * Reads the stored tokens of a principal at a server, before somebody removes them.
   *
   * @return takes them back at their authorization server, once they are removed; completes when
   *     they are read
   */
  default Future<Runnable> stored(String server, String principal, HttpOptions options) {
    return Future.succeededFuture(() -> {});
  }

  /** A factory that asks the program first. */
  default AuthenticatorFactory after(OwnCredentials own) {
    AuthenticatorFactory last = this;
    return new AuthenticatorFactory() {
      @Override
      public @Nullable Authenticator create(HttpOptions options) {
        return last.create(options);
      }

      @Override
      public @Nullable Authenticator create(String server, HttpOptions options) {
        Authenticator first = own.of(server, options.url());
        return first == null ? last.create(server, options) : first;
      }

      @Override
      public @Nullable Authenticator create(
          String server, @Nullable String principal, HttpOptions options) {
        return principal == null
            ? create(server, options)
            : last.create(server, principal, options);
      }

      @Override
      public void changed(String principal, @Nullable String server) {
        last.changed(principal, server);
      }

      @Override
      public Future<Runnable> stored(String server, String principal, HttpOptions options) {
        return last.stored(server, principal, options);
      }
    };
  }
}
