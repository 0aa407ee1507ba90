package dev.mcpbus.security;

import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The access tokens that this mcpbus issues itself, where it is an authorization server ({@code
 * auth.signIn}). Thread-safe.
 */
public interface OwnTokens {

  /**
   * What a valid token stands for.
   *
   * @param until its expiry
   * @param family the login that it comes of
   */
  record IssuedToken(Principal principal, Instant until, String family) {}

  /** Whether a token names us as its issuer; nothing is verified. */
  boolean isOurs(HttpServerRequest request, String token);

  /**
   * Completes with null if the token is not valid for this request, for any reason: its signature,
   * its time, a resource that does not have the request's path, a login that was revoked.
   */
  Future<@Nullable IssuedToken> verify(HttpServerRequest request, String token);

  /** Whether a login has ended, as far as this node knows; another node's word takes 2 s. */
  boolean isEnded(String family);
}
