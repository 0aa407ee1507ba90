package dev.mcpbus.security.oauth;

import dev.mcpbus.protocol.ClientAuthentication;
import dev.mcpbus.protocol.DpopMode;
import dev.mcpbus.protocol.OAuthGrant;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.oauth.GuardedHttp.Reply;
import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the client id of mcpbus at an authorization server. In this order: the configured id, the
 * client metadata document, an earlier registration, dynamic registration (RFC 7591); else the
 * failure asks the operator to register. Stateless.
 */
record ClientRegistrar(GuardedHttp http, UrlGuard guard, OAuthSettings settings) {

  /**
   * The client at {@code server}.
   *
   * @param known an earlier registration; used if it fits the server and the redirect URI
   * @param redirectUri of the login, null for a grant without login
   */
  Future<RegisteredClient> client(
      ServerMetadata server,
      @Nullable RegisteredClient known,
      @Nullable String redirectUri,
      Instant now) {
    String issuer = server.issuer();
    String configured = settings.options().clientId();
    if (configured != null) {
      return Future.succeededFuture(
          new RegisteredClient(
              issuer, configured, settings.options().clientSecret(), null, null, false, null));
    }
    if (settings.options().grant() == OAuthGrant.WORKLOAD_IDENTITY) {
      return Future.succeededFuture(RegisteredClient.anonymous(issuer));
    }
    URI document = settings.options().clientMetadataUrl();
    if (document != null && server.readsClientMetadata()) {
      return Future.succeededFuture(
          new RegisteredClient(issuer, document.toString(), null, null, null, false, null));
    }
    if (known != null
        && IssuerKeys.isSame(known.issuer(), issuer)
        && !known.expired(now)
        && (redirectUri == null || redirectUri.equals(known.redirectUri()))) {
      return Future.succeededFuture(known);
    }
    if (redirectUri == null
        && (known != null || settings.options().grant() == OAuthGrant.AUTHORIZATION_CODE)) {
      // A renewal. A new login can register this client anew.
      return OAuthFailure.CLIENT_FORGOTTEN.fails(
          "the registration at " + issuer + " is forgotten, or has expired");
    }
    String endpoint = server.registrationEndpoint();
    if (endpoint == null || redirectUri == null) {
      return OAuthFailure.LOGIN_REQUIRED.fails(
          "this client is not registered with "
              + issuer
              + ": register it there and set \"clientId\" in the configuration");
    }
    return register(server, endpoint, redirectUri, now);
  }

  private Future<RegisteredClient> register(
      ServerMetadata server, String endpoint, String redirectUri, Instant now) {
    JsonObject request =
        new JsonObject()
            .put("client_name", "mcpbus")
            .put("application_type", redirectUri.startsWith("https:") ? "web" : "native")
            .put("redirect_uris", new JsonArray().add(redirectUri))
            .put("grant_types", new JsonArray().add("authorization_code").add("refresh_token"))
            .put("response_types", new JsonArray().add("code"))
            .put("token_endpoint_auth_method", method(server).wire());
    if (settings.options().dpop() == DpopMode.REQUIRED) {
      request.put("dpop_bound_access_tokens", true);
    }
    String what = "the registration endpoint";
    Map<String, String> headers = Map.of("Content-Type", "application/json");
    return http.patiently(
            endpoint, what, () -> http.post(guard, endpoint, what, headers, request.encode()))
        .compose(reply -> registered(reply, server.issuer(), redirectUri, now));
  }

  /** Prefers a public client: a client on a person's machine cannot keep a secret well. */
  private ClientAuthentication method(ServerMetadata server) {
    if (settings.options().authMethod() != null) {
      return settings.options().authMethod();
    }
    var offered = server.tokenAuthMethods();
    if (offered == null || offered.contains(ClientAuthentication.NONE.wire())) {
      return ClientAuthentication.NONE;
    }
    return offered.contains(ClientAuthentication.CLIENT_SECRET_BASIC.wire())
        ? ClientAuthentication.CLIENT_SECRET_BASIC
        : ClientAuthentication.CLIENT_SECRET_POST;
  }

  private static Future<RegisteredClient> registered(
      Reply reply, String issuer, String redirectUri, Instant now) {
    String id = JsonMembers.text(reply.body(), "client_id");
    if (!reply.isSuccess() || id == null) {
      String error = JsonMembers.text(reply.body(), "error");
      return OAuthFailure.LOGIN_REQUIRED.fails(
          "the registration at "
              + issuer
              + " was refused ("
              + reply
              + OAuthException.said(" ", error)
              + "): register this client there and set \"clientId\" in the configuration");
    }
    long expires = JsonMembers.number(reply.body(), "client_secret_expires_at", 0);
    return Future.succeededFuture(
        new RegisteredClient(
            issuer,
            id,
            Sensitive.ofNullable(JsonMembers.text(reply.body(), "client_secret")),
            ClientAuthentication.of(JsonMembers.text(reply.body(), "token_endpoint_auth_method")),
            redirectUri,
            true,
            // A time that is over means something else, such as a duration.
            expires <= now.getEpochSecond() ? null : Instant.ofEpochSecond(expires)));
  }
}
