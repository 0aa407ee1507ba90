package dev.mcpbus.transport;

import dev.mcpbus.protocol.Sensitive;
import io.vertx.core.Future;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where a transport over HTTP gets its credentials from. May be shared by several channels and is
 * called on the contexts of all of them; its futures may complete on any thread.
 */
public interface Authenticator {

  /**
   * A server refused a request.
   *
   * @param status 401 or 403
   * @param wwwAuthenticate all values of that header, joined by a comma; null where there is none
   * @param sent what {@link #headers()} had given for that request, so that a request that was
   *     under way while the credentials changed asks for nothing twice
   */
  record Challenge(int status, @Nullable String wwwAuthenticate, Map<String, Sensitive> sent) {

    public Challenge {
      sent = Map.copyOf(sent);
    }
  }

  /**
   * The headers that a request is to carry now; empty where there are no credentials yet. Renews
   * what has expired first. Fails with a {@link TransportException}.
   */
  Future<Map<String, Sensitive>> headers();

  /**
   * Tries to get credentials that satisfy the server. Calls that come while one runs share its
   * outcome.
   *
   * @return true where the request may be sent again; false where nothing better can be had; fails
   *     with a {@link TransportException}, {@code AUTH_REQUIRED} or {@code FORBIDDEN}, that names
   *     the remedy
   */
  Future<Boolean> challenged(Challenge challenge);
}
