package dev.mcpbus.transport;

import dev.mcpbus.protocol.PublicApi;
import dev.mcpbus.protocol.Sensitive;
import io.vertx.core.Future;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The source of credentials for a transport over HTTP. Several channels may share one and call it
 * on their own contexts; its futures may complete on any thread.
 */
@PublicApi
public interface Authenticator {

  /**
   * A server refused a request.
   *
   * @param status 401 or 403
   * @param wwwAuthenticate all values of that header, joined by a comma; null if there is none
   * @param sent the headers that this request carried, as {@link #headers()} returned them. They
   *     show whether the credentials have changed since then, so that they are not renewed twice
   */
  record Challenge(int status, @Nullable String wwwAuthenticate, Map<String, Sensitive> sent) {

    public Challenge {
      sent = Map.copyOf(sent);
    }
  }

  /**
   * The headers for a request that is sent now; empty if there are no credentials yet. Renews
   * expired credentials first. Fails with a {@link TransportException}.
   */
  Future<Map<String, Sensitive>> headers();

  /**
   * The headers for this one request; for credentials that contain a proof about it, such as DPoP
   * (RFC 9449). By default those of {@link #headers()}.
   *
   * @param method such as {@code POST}
   * @param url of the request, without query and fragment; asked for where it is needed
   */
  default Future<Map<String, Sensitive>> headers(String method, Supplier<String> url) {
    return headers();
  }

  /**
   * The server supplied a nonce for later proofs, with any answer (RFC 9449, section 8.2); said
   * before {@link #challenged}. By default ignored.
   */
  default void nonce(String supplied) {}

  /**
   * The server accepted a request with credentials that this channel had not sent before. By
   * default ignored.
   *
   * @param sent as {@link #headers()} returned them
   */
  default void accepted(Map<String, Sensitive> sent) {}

  /**
   * Tries to get credentials that satisfy the server. Calls during a running attempt share its
   * outcome.
   *
   * @return true if the request may be sent again; false if no better credentials can be obtained;
   *     fails with a {@link TransportException}, {@code AUTH_REQUIRED} or {@code FORBIDDEN}, that
   *     names the remedy
   */
  Future<Boolean> challenged(Challenge challenge);
}
