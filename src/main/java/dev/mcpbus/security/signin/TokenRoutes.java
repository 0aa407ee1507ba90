package dev.mcpbus.security.signin;

import dev.mcpbus.security.SignInOptions;
import dev.mcpbus.security.oauth.OAuthDigests;
import dev.mcpbus.security.signin.SealedTexts.Purpose;
import io.vertx.core.Future;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The token endpoint and the revocation endpoint (RFC 6749, section 3.2; RFC 7009). Clients are
 * public: the code verifier and the binding of each token to its client stand for a secret. Used on
 * the context of the HTTP verticle.
 */
final class TokenRoutes {

  private static final Pattern VERIFIER = Pattern.compile("[A-Za-z0-9._~-]{43,128}");

  private final SignInOptions options;
  private final SignIn signIn;
  private final ClientDirectory clients;
  private final DeviceCodes devices;
  private final AccessTokens tokens;

  TokenRoutes(
      SignInOptions options,
      SignIn signIn,
      ClientDirectory clients,
      DeviceCodes devices,
      AccessTokens tokens) {
    this.options = options;
    this.signIn = signIn;
    this.clients = clients;
    this.devices = devices;
    this.tokens = tokens;
  }

  private String client(SignInRequest request, Map<String, String> fields) throws SignInRefusal {
    if (request.http().headers().contains(HttpHeaders.AUTHORIZATION)
        || fields.containsKey("client_secret")
        || fields.containsKey("client_assertion")) {
      throw SignInRefusal.of(
          401, "invalid_client", "clients are public here: send client_id alone");
    }
    String id = SignInRequest.field(fields, "client_id");
    if (!clients.mayBe(id)) {
      throw SignInRefusal.of(
          401, "invalid_client", "the registration has ended: register the client again");
    }
    return SignInClient.binding(id);
  }

  /** Answers with tokens, or fails with a {@link SignInRefusal}. */
  Future<Void> token(SignInRequest request) throws SignInRefusal {
    Map<String, String> fields = request.fields();
    String binding = client(request, fields);
    Future<TokenFamily> family =
        switch (SignInRequest.field(fields, "grant_type")) {
          case SignInClient.CODE_GRANT -> code(request, fields, binding);
          case SignInClient.REFRESH_GRANT -> renewal(request, fields, binding);
          case SignInClient.DEVICE_GRANT -> device(fields, binding);
          default ->
              throw SignInRefusal.json(
                  "unsupported_grant_type", "codes, refresh tokens and device codes are taken");
        };
    return family.onSuccess(known -> request.json(200, answer(known, fields))).mapEmpty();
  }

  private JsonObject answer(TokenFamily family, Map<String, String> fields) {
    JsonObject answer =
        new JsonObject()
            .put("access_token", tokens.issue(family))
            .put("token_type", "Bearer")
            .put("expires_in", options.accessToken().toSeconds());
    if (family.renews()) {
      long left = family.until() - signIn.clock().instant().getEpochSecond();
      answer.put(
          "refresh_token",
          signIn
              .texts()
              .seal(
                  Purpose.REFRESH,
                  new JsonObject()
                      .put("family", family.id())
                      .put("generation", family.generation())
                      .put("binding", family.binding())
                      .put("resource", family.resource()),
                  Duration.ofSeconds(Math.max(1, left))));
    }
    // There are no scopes: who asked for some learns that none was granted.
    return fields.containsKey("scope") ? answer.put("scope", "") : answer;
  }

  private Future<TokenFamily> code(
      SignInRequest request, Map<String, String> fields, String binding) throws SignInRefusal {
    JsonObject code = signIn.texts().open(Purpose.CODE, SignInRequest.field(fields, "code"));
    String verifier = SignInRequest.field(fields, "code_verifier");
    if (code == null
        || !binding.equals(code.getString("binding"))
        || !code.getString("redirectUri").equals(fields.get("redirect_uri"))
        || !VERIFIER.matcher(verifier).matches()
        || !OAuthDigests.same(OAuthDigests.s256(verifier), code.getString("challenge"))) {
      throw SignInRefusal.json(
          "invalid_grant",
          "the code has ended, or is not for this client, redirect URI or verifier");
    }
    sameResource(request, fields, code.getString("resource"));
    return rotated(code.getString("family"), 0, binding);
  }

  private Future<TokenFamily> renewal(
      SignInRequest request, Map<String, String> fields, String binding) throws SignInRefusal {
    JsonObject token =
        signIn.texts().open(Purpose.REFRESH, SignInRequest.field(fields, "refresh_token"));
    if (token == null || !binding.equals(token.getString("binding"))) {
      throw SignInRefusal.json(
          "invalid_grant", "the refresh token has ended, or is not for this client");
    }
    sameResource(request, fields, token.getString("resource"));
    return rotated(token.getString("family"), token.getLong("generation"), binding);
  }

  private Future<TokenFamily> device(Map<String, String> fields, String binding)
      throws SignInRefusal {
    return devices
        .poll(SignInRequest.field(fields, "device_code"), binding)
        .compose(family -> rotated(family, 0, binding));
  }

  private Future<TokenFamily> rotated(String family, long generation, String binding) {
    return signIn
        .families()
        .rotate(family, generation, binding, this::lifetime)
        .compose(
            next ->
                next == null
                    ? SignInRefusal.json(
                            "invalid_grant", "the login has ended, or the token was used before")
                        .failed()
                    : Future.succeededFuture(next));
  }

  private Duration lifetime(TokenFamily family) {
    return family.renews() ? options.refreshToken() : options.accessToken();
  }

  /** A token is for the resource that the person was asked about. */
  private static void sameResource(
      SignInRequest request, Map<String, String> fields, @Nullable String granted)
      throws SignInRefusal {
    if (fields.containsKey("resource") && !LoginRoutes.resource(request, fields).equals(granted)) {
      throw SignInRefusal.json("invalid_target", "the login was for another resource");
    }
  }

  /** Ends the login of a token; 200 for what is no token, too (RFC 7009, section 2.2). */
  Future<Void> revoke(SignInRequest request) throws SignInRefusal {
    Map<String, String> fields = request.fields();
    String binding = client(request, fields);
    String token = SignInRequest.field(fields, "token");
    JsonObject refresh = signIn.texts().open(Purpose.REFRESH, token);
    String family =
        refresh == null
            ? tokens.family(token, SignInHandler.address(request.http()))
            : refresh.getString("family");
    return (family == null
            ? Future.<Void>succeededFuture()
            : signIn.families().end(family, binding))
        .onSuccess(done -> request.json(200, new JsonObject()));
  }
}
