package dev.mcpbus.security.oauth;

import dev.mcpbus.internals.OptionalLibrary;
import dev.mcpbus.protocol.ClientAuthentication;
import dev.mcpbus.protocol.IdentityProvider;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.oauth.GuardedHttp.Reply;
import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Requests tokens at a token endpoint, with each kind of client authentication (RFC 6749, section
 * 2.3; RFC 7523) and, where tokens are bound to a key, with a proof of it (RFC 9449). Its only
 * state is the nonce that the authorization server supplied last. Any thread may call.
 *
 * @param nonces the last one of each token endpoint; a map for several threads
 */
record TokenEndpoint(
    Vertx vertx,
    GuardedHttp http,
    UrlGuard guard,
    OAuthSettings settings,
    InstantSource clock,
    Map<String, String> nonces) {

  private static final String ASSERTION_TYPE =
      "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

  /** What servers say of a client that they do not know, or do not know any more. */
  static final Set<String> UNKNOWN_CLIENT = Set.of("invalid_client", "unauthorized_client");

  /** What servers say to scopes that they do not expect in a renewal. */
  private static final Set<String> SCOPES_REFUSED = Set.of("invalid_scope", "invalid_request");

  /** Parameters that stand in the body or in a header, so in no query of a token endpoint. */
  private static final Set<String> CREDENTIALS =
      Set.of("client_id", "client_secret", "client_assertion", "client_assertion_type");

  /**
   * Sends a grant.
   *
   * @param grant the fields of the grant; resource, scopes and client are added
   * @param scopes the requested ones, which are granted if the answer names none; not sent with the
   *     code of a login, which has them
   * @param binding of the token to a key
   */
  Future<OAuthTokens> request(
      ServerMetadata server,
      RegisteredClient client,
      String resource,
      Set<String> scopes,
      Map<String, String> grant,
      TokenBinding binding) {
    if (!IssuerKeys.isSame(client.issuer(), server.issuer())) {
      return OAuthFailure.INVALID.fails("the credentials belong to another authorization server");
    }
    String endpoint = server.tokenEndpoint();
    if (endpoint == null) {
      return OAuthFailure.INVALID.fails("the authorization server has no token endpoint");
    }
    Map<String, String> form = new LinkedHashMap<>(grant);
    settings.addResource(form, resource);
    if (!scopes.isEmpty() && !grant.containsKey("code")) {
      form.put("scope", String.join(" ", scopes));
    }
    ClientAuthentication method = method(server, client);
    TokenRequest request =
        new TokenRequest(
            endpoint,
            "the token endpoint",
            form,
            client,
            method,
            settings.options().authMethod() == null
                && client.method() == null
                && server.tokenAuthMethods() == null,
            server.issuer(),
            binding.key());
    return send(request, false)
        .compose(answer -> tokens(answer, server.issuer(), resource, scopes, grant, binding));
  }

  /**
   * Takes tokens back (RFC 7009): by the refresh token, which ends the whole grant, where there is
   * one. Completes also where the server has no such endpoint.
   */
  Future<Void> revoke(ServerMetadata server, RegisteredClient client, OAuthTokens tokens) {
    String endpoint = server.revocationEndpoint();
    if (endpoint == null) {
      return Future.succeededFuture();
    }
    Sensitive refresh = tokens.refresh();
    Map<String, String> form = new LinkedHashMap<>();
    form.put("token", (refresh == null ? tokens.access() : refresh).reveal());
    form.put("token_type_hint", refresh == null ? "access_token" : "refresh_token");
    ClientAuthentication method = method(server, client);
    return send(
            new TokenRequest(
                endpoint,
                "the revocation endpoint",
                form,
                client,
                method,
                false,
                server.issuer(),
                null),
            false)
        .mapEmpty();
  }

  /** Exchanges an assertion at an identity provider (RFC 8693); completes with the raw response. */
  Future<JsonObject> exchange(IdentityProvider idp, Map<String, String> form) {
    ClientAuthentication method =
        idp.clientSecret() == null
            ? ClientAuthentication.NONE
            : ClientAuthentication.CLIENT_SECRET_POST;
    String endpoint = idp.tokenEndpoint().toString();
    return send(
        new TokenRequest(
            endpoint,
            "the identity provider's token endpoint",
            form,
            new RegisteredClient(
                endpoint, idp.clientId(), idp.clientSecret(), null, null, false, null),
            method,
            false,
            endpoint,
            null),
        false);
  }

  private ClientAuthentication method(ServerMetadata server, RegisteredClient client) {
    ClientAuthentication configured = settings.options().authMethod();
    if (configured != null) {
      return configured;
    }
    if (client.method() != null) {
      return client.method();
    }
    if (client.secret() == null) {
      return settings.options().privateKey() == null
          ? ClientAuthentication.NONE
          : ClientAuthentication.PRIVATE_KEY_JWT;
    }
    Set<String> offered = server.tokenAuthMethods();
    boolean post =
        offered != null
            && !offered.contains(ClientAuthentication.CLIENT_SECRET_BASIC.wire())
            && offered.contains(ClientAuthentication.CLIENT_SECRET_POST.wire());
    return post
        ? ClientAuthentication.CLIENT_SECRET_POST
        : ClientAuthentication.CLIENT_SECRET_BASIC;
  }

  /**
   * One request as it is sent, perhaps twice.
   *
   * @param what the endpoint in messages
   * @param guessed whether nobody named the method
   * @param audience of an assertion by which the client authenticates
   * @param key for a proof, null for a request without one
   */
  private record TokenRequest(
      String endpoint,
      String what,
      Map<String, String> fields,
      RegisteredClient client,
      ClientAuthentication method,
      boolean guessed,
      String audience,
      @Nullable DpopKey key) {

    /** Names the endpoint and nothing that is sent there. */
    @Override
    public String toString() {
      return what;
    }
  }

  /**
   * Sends the request; once more if the authorization server wants its nonce in the proof, no
   * scopes in a renewal (some require them there, and others take none), or a secret in the body
   * although its metadata does not say so.
   */
  private Future<JsonObject> send(TokenRequest request, boolean again) {
    return http.patiently(request.endpoint(), request.what(), () -> sendOnce(request))
        .compose(
            reply -> {
              if (refusesScopes(reply, request) && request.fields().remove("scope") != null) {
                return send(request, again);
              }
              if (refusesHeader(reply, request)) {
                request.fields().put("client_id", request.client().id());
                request.fields().put("client_secret", secret(request));
                return send(request, again);
              }
              if (reply.nonce() != null && request.key() != null) {
                nonces.put(request.endpoint(), reply.nonce());
                if (!again && isNonceWanted(reply)) {
                  return send(request, true);
                }
              }
              return answer(reply, request);
            });
  }

  /** With a new proof and a new assertion: each of them is valid once. */
  private Future<Reply> sendOnce(TokenRequest request) {
    Map<String, String> form = new LinkedHashMap<>(request.fields());
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Content-Type", FormEncoding.TYPE);
    return authenticate(request, form, headers)
        .compose(
            ready -> {
              prove(request, headers);
              Set<String> absent = new HashSet<>(form.keySet());
              absent.addAll(CREDENTIALS);
              return http.post(
                  guard,
                  FormEncoding.query(request.endpoint(), Map.of(), absent),
                  request.what(),
                  headers,
                  FormEncoding.encode(form));
            });
  }

  private static boolean refusesScopes(Reply reply, TokenRequest request) {
    return !reply.isSuccess()
        && SCOPES_REFUSED.contains(String.valueOf(reply.body().getValue("error")))
        && "refresh_token".equals(request.fields().get("grant_type"));
  }

  private static boolean refusesHeader(Reply reply, TokenRequest request) {
    String error = JsonMembers.text(reply.body(), "error");
    return request.guessed()
        && request.method() == ClientAuthentication.CLIENT_SECRET_BASIC
        && !request.fields().containsKey("client_secret")
        && !reply.isSuccess()
        && (error == null
            ? reply.status() == 400 || reply.status() == 401
            : UNKNOWN_CLIENT.contains(error) || error.equals("invalid_request"));
  }

  private static String secret(TokenRequest request) {
    Sensitive known = request.client().secret();
    return known == null ? "" : known.reveal();
  }

  private static boolean isNonceWanted(Reply reply) {
    return !reply.isSuccess() && "use_dpop_nonce".equals(reply.body().getValue("error"));
  }

  private void prove(TokenRequest request, Map<String, String> headers) {
    if (request.key() != null) {
      String endpoint = request.endpoint();
      headers.put(
          "DPoP",
          request
              .key()
              .proof(
                  "POST",
                  endpoint.replaceFirst("[?#].*$", ""),
                  clock.instant(),
                  null,
                  nonces.get(endpoint)));
    }
  }

  /** Adds who the client is. An assertion is signed for each request: it is valid once. */
  private Future<Void> authenticate(
      TokenRequest request, Map<String, String> form, Map<String, String> headers) {
    String clientId = request.client().id();
    String secret = secret(request);
    switch (request.method()) {
      case NONE -> {
        if (!clientId.isEmpty()) {
          form.put("client_id", clientId);
        }
      }
      case CLIENT_SECRET_POST -> {
        form.put("client_id", clientId);
        form.put("client_secret", secret);
      }
      case CLIENT_SECRET_BASIC -> {
        if (form.containsKey("client_secret")) {
          return Future.succeededFuture();
        }
        String pair = FormEncoding.encode(clientId) + ":" + FormEncoding.encode(secret);
        headers.put(
            "Authorization",
            "Basic "
                + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.US_ASCII)));
      }
      case PRIVATE_KEY_JWT -> {
        form.put("client_id", clientId);
        form.put("client_assertion_type", ASSERTION_TYPE);
        return assertion(clientId, request.audience())
            .onSuccess(jwt -> form.put("client_assertion", jwt))
            .mapEmpty();
      }
    }
    return Future.succeededFuture();
  }

  /** A JWT of this client for {@code audience}, signed with the configured key. */
  Future<String> assertion(String clientId, String audience) {
    Path file = settings.options().privateKey();
    if (file == null) {
      return OAuthFailure.LOGIN_REQUIRED.fails(
          "a signed assertion needs \"privateKey\" in the configuration");
    }
    OptionalLibrary.NIMBUS.require();
    Instant now = clock.instant();
    return vertx.executeBlocking(
        () -> ClientAssertion.read(file, settings.options().keyId()).sign(clientId, audience, now),
        false);
  }

  /** The body of a response that has no error; some servers refuse with status 200. */
  private static Future<JsonObject> answer(Reply reply, TokenRequest request) {
    String error = JsonMembers.text(reply.body(), "error");
    if (reply.isSuccess() && (error == null || reply.body().containsKey("access_token"))) {
      return Future.succeededFuture(reply.body());
    }
    String said = request.what() + " answers " + reply + OAuthException.said(" ", error);
    boolean unknown = error == null ? reply.status() == 401 : UNKNOWN_CLIENT.contains(error);
    return Future.failedFuture(
        unknown ? request.client().unknown(said) : new OAuthException(OAuthFailure.DENIED, said));
  }

  private Future<OAuthTokens> tokens(
      JsonObject answer,
      String issuer,
      String resource,
      Set<String> scopes,
      Map<String, String> grant,
      TokenBinding binding) {
    String access = JsonMembers.text(answer, "access_token");
    String type = JsonMembers.text(answer, "token_type");
    boolean bound = binding.key() != null && "DPoP".equalsIgnoreCase(type);
    if (access == null
        || !OAuthTokens.isUsable(access)
        || (type != null && !bound && !type.equalsIgnoreCase("bearer"))) {
      // A refresh token that gives no token any more leads to a new grant.
      boolean dead = grant.containsKey("refresh_token") && access == null && !answer.isEmpty();
      return (dead ? OAuthFailure.DENIED : OAuthFailure.INVALID)
          .fails("the token endpoint gave no Bearer token");
    }
    if (!bound && binding.demanded()) {
      // A refusal of a refresh token leads to a new grant, and the server decides anew.
      return (grant.containsKey("refresh_token") ? OAuthFailure.DENIED : OAuthFailure.INVALID)
          .fails(
              "the token endpoint gave a token that is not bound to this client's key (DPoP): it"
                  + " is not used");
    }
    String refresh = JsonMembers.text(answer, "refresh_token");
    String scope = JsonMembers.text(answer, "scope");
    long seconds = JsonMembers.number(answer, "expires_in", -1);
    return Future.succeededFuture(
        new OAuthTokens(
            issuer,
            resource,
            Sensitive.of(access),
            Sensitive.ofNullable(refresh == null ? grant.get("refresh_token") : refresh),
            scope == null ? scopes : TokenChallenge.scopes(scope),
            seconds <= 0
                ? null
                : OAuthTokens.renewal(clock.instant(), Math.min(seconds, 31_536_000)),
            bound ? binding.key() : null));
  }
}
