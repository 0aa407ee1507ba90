package dev.mcpbus.security;

import org.jspecify.annotations.Nullable;

/**
 * Why a token does not let its caller in. Whoever presents an invalid token does not learn why;
 * what is said of a binding, only the owner of a valid token can get.
 */
enum TokenRefusal {
  INVALID("invalid_token", null),

  /** RFC 9449, section 7.1: a token that is bound to a key is no Bearer token. */
  KEY_BOUND(
      "invalid_token",
      "the token is bound to a key (\"cnf\"): send it as Authorization: DPoP, with a proof in the"
          + " header DPoP"),

  CERTIFICATE_BOUND(
      "invalid_token",
      "the token is bound to a client certificate (\"cnf\"), which is not that of this"
          + " connection; mcpbus asks for one where bridge.tls has clientCaFile"),

  OTHER_BINDING(
      "invalid_token",
      "the token is bound to a key (\"cnf\") in a way that mcpbus does not verify; it knows DPoP and"
          + " client certificates"),

  UNBOUND(
      "invalid_token",
      "tokens have to be bound to a key here: get one with DPoP (RFC 9449), and send it as"
          + " Authorization: DPoP"),

  PROOF(
      "invalid_dpop_proof",
      "the header DPoP has no proof that is valid for this request and token, or it was used before;"
          + " make a new proof for each request"),

  NONCE("use_dpop_nonce", "make the proof again with the nonce of the header DPoP-Nonce"),

  /** Nobody can say whether the token is valid; 503. */
  UNAVAILABLE("", "the token cannot be verified now; try again");

  private final String error;
  private final @Nullable String remedy;

  TokenRefusal(String error, @Nullable String remedy) {
    this.error = error;
    this.remedy = remedy;
  }

  /** The code of RFC 6750 or RFC 9449. */
  String error() {
    return error;
  }

  /** What the caller can do; null for the common text. */
  @Nullable String remedy() {
    return remedy;
  }
}
