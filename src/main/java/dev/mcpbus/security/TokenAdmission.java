package dev.mcpbus.security;

import dev.mcpbus.protocol.Sha256;
import dev.mcpbus.security.AuthOptions.Dpop;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import java.security.cert.CertificateEncodingException;
import java.util.Base64;
import java.util.Objects;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * Decides on a token that a request carries: who vouches for it, since when it is good, and that it
 * is presented by the one to whom it is bound. Confined to the context of one {@link
 * AdmissionControl}.
 */
final class TokenAdmission {

  private static final String KEY = "jkt";
  private static final String CERTIFICATE = "x5t#S256";

  private final Vertx vertx;
  private final AccessControl control;
  private final TokenVerifiers verifiers;
  private @Nullable DpopVerifier proofs;

  TokenAdmission(Vertx vertx, AccessControl control) {
    this.vertx = vertx;
    this.control = control;
    this.verifiers = new TokenVerifiers(vertx, control);
  }

  /**
   * The claims of the token, or why it does not let the request in. Expiry, audience and scopes are
   * checked by {@link TokenRules#holder}, later. Never fails.
   *
   * @param proven whether the scheme is {@code DPoP}
   */
  Future<TokenOutcome> outcome(
      HttpServerRequest request, AuthState state, String token, boolean proven) {
    SocketAddress remote = request.remoteAddress();
    String from = remote == null ? "" : String.valueOf(remote.hostAddress());
    return verifiers
        .outcome(state, token, from)
        .compose(
            outcome -> {
              JsonObject claims = outcome.claims();
              return claims == null
                  ? Future.succeededFuture(outcome)
                  : bound(request, state, token, proven, claims)
                      .map(refusal -> refusal == null ? outcome : TokenOutcome.refused(refusal));
            });
  }

  private Future<@Nullable TokenRefusal> bound(
      HttpServerRequest request, AuthState state, String token, boolean proven, JsonObject claims) {
    TokenRules rules = state.rules(claims);
    if (rules == null || !rules.hasBegun(claims, control.now())) {
      return Future.succeededFuture(TokenRefusal.INVALID);
    }
    Dpop options = state.options().dpop();
    Object binding = claims.getValue("cnf");
    if (binding == null) {
      return Future.succeededFuture(
          proven ? TokenRefusal.INVALID : options.required() ? TokenRefusal.UNBOUND : null);
    }
    if (!(binding instanceof JsonObject cnf)
        || cnf.isEmpty()
        || !cnf.stream()
            .allMatch(one -> isKnown(one.getKey()) && one.getValue() instanceof String)) {
      return Future.succeededFuture(TokenRefusal.OTHER_BINDING);
    }
    if (cnf.containsKey(CERTIFICATE) && !cnf.getString(CERTIFICATE).equals(certificate(request))) {
      return Future.succeededFuture(TokenRefusal.CERTIFICATE_BOUND);
    }
    if (!cnf.containsKey(KEY)) {
      return Future.succeededFuture(
          proven ? TokenRefusal.INVALID : options.required() ? TokenRefusal.UNBOUND : null);
    }
    if (!proven) {
      return Future.succeededFuture(TokenRefusal.KEY_BOUND);
    }
    DpopVerifier verifier = Objects.requireNonNullElseGet(proofs, this::verifier);
    return verifier
        .verify(
            request,
            state.resource().origin(request),
            token,
            cnf.getString(KEY),
            rules.issuer().name() + ":" + claims.getValue("sub"),
            options,
            rules.issuer().leeway())
        .map(
            result ->
                switch (result) {
                  case VALID -> null;
                  case INVALID -> TokenRefusal.PROOF;
                  case LACKS_NONCE -> TokenRefusal.NONCE;
                  case UNKNOWN -> TokenRefusal.UNAVAILABLE;
                });
  }

  private DpopVerifier verifier() {
    DpopVerifier made = new DpopVerifier(vertx, control::now);
    proofs = made;
    return made;
  }

  private static boolean isKnown(String method) {
    return method.equals(KEY) || method.equals(CERTIFICATE);
  }

  /** The hash of the certificate that the client has shown and TLS has verified; null for none. */
  private static @Nullable String certificate(HttpServerRequest request) {
    SSLSession session = request.connection().sslSession();
    if (session == null) {
      return null;
    }
    try {
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString(Sha256.of(session.getPeerCertificates()[0].getEncoded()));
    } catch (SSLPeerUnverifiedException | CertificateEncodingException e) {
      return null;
    }
  }
}
