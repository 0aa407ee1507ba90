package dev.mcpbus.security.signin;

import dev.mcpbus.security.OwnTokens;
import dev.mcpbus.security.Principal;
import dev.mcpbus.security.SignInOptions;
import dev.mcpbus.security.UnverifiedToken;
import dev.mcpbus.security.VerificationKey;
import dev.mcpbus.security.VerifiedSignatures;
import dev.mcpbus.security.oauth.OAuthDigests;
import dev.mcpbus.security.signin.TokenKeys.DayKey;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.time.Instant;
import java.time.InstantSource;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Access tokens: JWTs in the form of RFC 9068, signed with the {@link TokenKeys} of the day, for
 * one resource. The doors verify them with {@link #verify}. Thread-safe.
 */
final class AccessTokens implements OwnTokens {

  private static final String TYPE = "at+jwt";
  private static final String ALGORITHM = "EdDSA";

  private final SignInOptions options;
  private final TokenKeys keys;
  private final TokenFamilies families;
  private final InstantSource clock;
  private final VerifiedSignatures verified;

  /**
   * @param nanos monotonic time in nanoseconds
   */
  AccessTokens(
      SignInOptions options,
      TokenKeys keys,
      TokenFamilies families,
      InstantSource clock,
      LongSupplier nanos) {
    this.options = options;
    this.keys = keys;
    this.families = families;
    this.clock = clock;
    this.verified = new VerifiedSignatures(nanos);
  }

  /** A new token of a family. */
  String issue(TokenFamily family) {
    long now = clock.instant().getEpochSecond();
    DayKey key = keys.signing();
    JsonObject header =
        new JsonObject().put("alg", ALGORITHM).put("typ", TYPE).put("kid", key.id());
    JsonObject claims =
        new JsonObject()
            .put("iss", family.base())
            .put("sub", family.principal().name())
            .put("aud", family.resource())
            .put("client_id", family.client())
            .put("iat", now)
            .put("exp", now + options.accessToken().toSeconds())
            .put("jti", OAuthDigests.secret())
            .put("sid", family.id())
            .put("roles", new JsonArray(family.principal().roles().stream().toList()))
            .put("admin", family.principal().admin());
    String signed = part(header) + "." + part(claims);
    try {
      Signature signature = Signature.getInstance(ALGORITHM);
      signature.initSign(key.secret());
      signature.update(signed.getBytes(StandardCharsets.US_ASCII));
      return signed + "." + OAuthDigests.base64Url(signature.sign());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e); // the key was made for it
    }
  }

  private static String part(JsonObject object) {
    return OAuthDigests.base64Url(object.toBuffer().getBytes());
  }

  @Override
  public boolean isOurs(HttpServerRequest request, String token) {
    UnverifiedToken read = UnverifiedToken.read(token);
    return read != null
        && OwnUrl.of(request, options.url()).base().equals(read.claims().getValue("iss"));
  }

  @Override
  public Future<@Nullable IssuedToken> verify(HttpServerRequest request, String token) {
    UnverifiedToken read = UnverifiedToken.read(token);
    OwnUrl own = OwnUrl.of(request, options.url());
    if (read == null) {
      return Future.succeededFuture(null);
    }
    JsonObject claims = read.claims();
    if (!own.base().equals(claims.getValue("iss"))
        || !(claims.getValue("aud") instanceof String audience)
        || !own.covers(audience, String.valueOf(request.path()))
        || !(claims.getValue("sub") instanceof String name)
        || !(claims.getValue("exp") instanceof Number end)
        || !(claims.getValue("sid") instanceof String family)
        || !(claims.getValue("roles") instanceof JsonArray roles)
        || end.longValue() <= clock.instant().getEpochSecond()
        || !isSigned(read, SignInHandler.address(request))) { // last: it takes longest
      return Future.succeededFuture(null);
    }
    IssuedToken issued =
        new IssuedToken(
            new Principal(name, words(roles), Boolean.TRUE.equals(claims.getValue("admin"))),
            Instant.ofEpochSecond(end.longValue()),
            family);
    return families.isAlive(family).map(alive -> alive ? issued : null);
  }

  private static NavigableSet<String> words(JsonArray roles) {
    NavigableSet<String> words = new TreeSet<>();
    roles.forEach(role -> words.add(String.valueOf(role)));
    return words;
  }

  /**
   * The family of a token with a valid signature, also of one that has expired; null for none.
   *
   * @param from the address of the caller
   */
  @Nullable String family(String token, String from) {
    UnverifiedToken read = UnverifiedToken.read(token);
    return read != null
            && read.claims().getValue("sid") instanceof String family
            && isSigned(read, from)
        ? family
        : null;
  }

  @Override
  public boolean isEnded(String family) {
    return families.isEnded(family);
  }

  /** Whether we have signed the token. */
  private boolean isSigned(UnverifiedToken token, String from) {
    if (!TYPE.equals(token.header().getValue("typ"))
        || !ALGORITHM.equals(token.algorithm())
        || !(token.header().getValue("kid") instanceof String id)) {
      return false;
    }
    DayKey key = keys.verifying(id);
    return key != null
        && verified.hasSigned(new VerificationKey(ALGORITHM, false, key.open()), token, from);
  }
}
