package dev.mcpbus.security.oauth;

import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.protocol.WorkloadIdentity;
import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The JWT of the platform that runs this process (SEP-1933). A file is read again each time, on a
 * worker thread. Messages name the file and never quote the JWT.
 */
record WorkloadToken(Vertx vertx, @Nullable WorkloadIdentity identity, InstantSource clock) {

  private static final int MAX_BYTES = 64 * 1024;

  /**
   * The present JWT; fails with an {@link OAuthException} if there is none that may be accepted.
   */
  Future<String> jwt() {
    WorkloadIdentity given = identity;
    if (given == null) {
      return OAuthFailure.LOGIN_REQUIRED.fails(
          "the grant workload_identity needs \"workloadIdentity\" in the configuration");
    }
    Path file = given.tokenFile();
    if (file == null) {
      Sensitive token = given.token();
      return checked(token == null ? "" : token.reveal().strip(), "\"token\" of workloadIdentity");
    }
    return vertx
        .executeBlocking(() -> read(file), false)
        .compose(text -> checked(text, "the file " + file));
  }

  private static String read(Path file) throws OAuthException {
    try {
      if (Files.size(file) > MAX_BYTES) {
        throw unusable("the file " + file + " of the workload's token is over 64 KiB");
      }
      return Files.readString(file, StandardCharsets.US_ASCII).strip();
    } catch (IOException e) {
      throw unusable(
          "the file "
              + file
              + " of the workload's token cannot be read ("
              + e.getClass().getSimpleName()
              + "): check that the platform mounts it and that this process may read it");
    }
  }

  private Future<String> checked(String jwt, String source) {
    JsonObject claims = claims(jwt);
    if (claims == null || !OAuthTokens.isUsable(jwt)) {
      return OAuthFailure.LOGIN_REQUIRED.fails(source + " holds no signed JWT");
    }
    long expires = JsonMembers.number(claims, "exp", 0);
    if (expires > 0 && clock.instant().getEpochSecond() >= expires) {
      return OAuthFailure.LOGIN_REQUIRED.fails(
          source
              + " holds a token that expired at "
              + Instant.ofEpochSecond(expires)
              + ": check that the platform replaces it, and this machine's clock");
    }
    return Future.succeededFuture(jwt);
  }

  private static @Nullable JsonObject claims(String jwt) {
    String[] parts = jwt.split("\\.", -1);
    if (parts.length != 3 || parts[2].isEmpty()) {
      return null;
    }
    try {
      return new JsonObject(Buffer.buffer(Base64.getUrlDecoder().decode(parts[1])));
    } catch (IllegalArgumentException | DecodeException | ClassCastException e) {
      return null;
    }
  }

  /** A failure; the refusal of a workload's token with its usual causes. */
  Throwable explained(Throwable why, ServerMetadata server) {
    if (identity == null || OAuthException.reason(why) != OAuthFailure.DENIED) {
      return why;
    }
    return new OAuthException(
        OAuthFailure.DENIED,
        why.getMessage()
            + ": check that "
            + server.issuer()
            + " trusts the issuer and subject of the workload's token, and that the token's"
            + " audience is "
            + server.issuer()
            + " or the token endpoint");
  }

  private static OAuthException unusable(String message) {
    return new OAuthException(OAuthFailure.LOGIN_REQUIRED, message);
  }
}
