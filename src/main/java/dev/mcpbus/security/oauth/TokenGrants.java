package dev.mcpbus.security.oauth;

import dev.mcpbus.protocol.IdentityProvider;
import dev.mcpbus.protocol.OAuthGrant;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Obtains tokens by each grant, and renews them by refresh tokens. Stateless; {@link OAuthClient}
 * calls it on its own context.
 */
record TokenGrants(
    Vertx vertx,
    UrlGuard guard,
    OAuthSettings settings,
    ClientRegistrar registrar,
    TokenEndpoint endpoint,
    LoginPrompt prompt,
    @Nullable PrincipalLogins logins,
    Supplier<Future<@Nullable Sensitive>> caller,
    InstantSource clock,
    Duration loginTimeout) {

  static final Duration LOGIN_TIMEOUT = Duration.ofMinutes(5);

  private static final String JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
  private static final String TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
  private static final String ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
  private static final String ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";
  private static final int MAX_ASSERTION = 64 * 1024;

  /** The door of another node may have noted a newer token a moment ago. */
  private static final long AGAIN_MILLIS = 500;

  /** Parameters by which a login page's own query would change the meaning of those of mcpbus. */
  private static final Set<String> OVERRIDES = Set.of("request", "request_uri", "response_mode");

  /**
   * The MCP server and the authorization server for a token.
   *
   * @param dpop whether the token is bound to a key
   */
  record DiscoveredServers(ResourceMetadata resource, ServerMetadata server, DpopUse dpop) {}

  /** New tokens, and the client for which they were issued. */
  record Obtained(OAuthTokens tokens, RegisteredClient client) {}

  private WorkloadToken workload() {
    return new WorkloadToken(vertx, settings.options().workloadIdentity(), clock);
  }

  Future<Obtained> obtain(
      DiscoveredServers place, Set<String> scopes, @Nullable RegisteredClient known) {
    return settings.options().grant() == OAuthGrant.AUTHORIZATION_CODE
        ? login(place, scopes, known)
        : registrar
            .client(place.server(), known, null, clock.instant())
            .compose(
                client ->
                    fields(place, scopes, client)
                        .compose(
                            grant ->
                                request(
                                    place, scopes, client, grant, TokenBinding.of(place.dpop()))))
            .recover(
                why -> Future.failedFuture(explained(workload().explained(why, place.server()))));
  }

  /** Renews by a refresh token. If the response holds no new refresh token, the old one stays. */
  Future<Obtained> refresh(
      DiscoveredServers place,
      OAuthTokens tokens,
      Sensitive refresh,
      @Nullable RegisteredClient known) {
    return registrar
        .client(place.server(), known, null, clock.instant())
        .compose(
            client ->
                request(
                    place,
                    tokens.scopes(),
                    client,
                    Map.of("grant_type", "refresh_token", "refresh_token", refresh.reveal()),
                    TokenBinding.ofRefresh(place.dpop(), tokens)));
  }

  /** Takes tokens back at their authorization server. */
  Future<Void> revoke(ServerMetadata server, OAuthTokens tokens, @Nullable RegisteredClient known) {
    return registrar
        .client(server, known, null, clock.instant())
        .compose(client -> endpoint.revoke(server, client, tokens));
  }

  private Future<Obtained> request(
      DiscoveredServers place,
      Set<String> scopes,
      RegisteredClient client,
      Map<String, String> grant,
      TokenBinding binding) {
    return endpoint
        .request(place.server(), client, place.resource().resource(), scopes, grant, binding)
        .map(tokens -> new Obtained(tokens, client));
  }

  private Future<Map<String, String>> fields(
      DiscoveredServers place, Set<String> scopes, RegisteredClient client) {
    return switch (settings.options().grant()) {
      case JWT_BEARER ->
          endpoint
              .assertion(client.id(), place.server().issuer())
              .map(jwt -> Map.of("grant_type", JWT_BEARER, "assertion", jwt));
      case ID_JAG ->
          idJag(place, scopes).map(jwt -> Map.of("grant_type", JWT_BEARER, "assertion", jwt));
      case TOKEN_EXCHANGE ->
          ofCaller()
              .map(
                  token -> {
                    Map<String, String> form = new LinkedHashMap<>();
                    form.put("grant_type", TOKEN_EXCHANGE);
                    form.put("subject_token", token);
                    form.put("subject_token_type", ACCESS_TOKEN);
                    if (settings.options().audience() != null) {
                      form.put("audience", settings.options().audience());
                    }
                    return form;
                  });
      case ON_BEHALF_OF ->
          ofCaller()
              .map(
                  token ->
                      Map.of(
                          "grant_type",
                          JWT_BEARER,
                          "assertion",
                          token,
                          "requested_token_use",
                          "on_behalf_of"));
      case WORKLOAD_IDENTITY ->
          workload().jwt().map(jwt -> Map.of("grant_type", JWT_BEARER, "assertion", jwt));
      default -> Future.succeededFuture(Map.of("grant_type", "client_credentials"));
    };
  }

  private Future<String> idJag(DiscoveredServers place, Set<String> scopes) {
    IdentityProvider idp = settings.options().idJag();
    if (idp == null) {
      return OAuthFailure.LOGIN_REQUIRED.fails(
          "the grant id_jag needs \"idJag\" in the configuration");
    }
    return subject(idp)
        .compose(
            subject -> {
              Map<String, String> form = new LinkedHashMap<>();
              form.put("grant_type", TOKEN_EXCHANGE);
              form.put("requested_token_type", ID_JAG);
              form.put("audience", place.server().issuer());
              settings.addResource(form, place.resource().resource());
              if (!scopes.isEmpty()) {
                form.put("scope", String.join(" ", scopes));
              }
              form.put("subject_token", subject);
              form.put("subject_token_type", idp.subjectTokenUrn());
              return endpoint.exchange(idp, form);
            })
        .compose(
            answer -> {
              String jwt = JsonMembers.text(answer, "access_token");
              return jwt == null
                      || !OAuthTokens.isUsable(jwt)
                      || !ID_JAG.equals(answer.getValue("issued_token_type"))
                  ? OAuthFailure.INVALID.fails("the identity provider gave no ID-JAG")
                  : Future.succeededFuture(jwt);
            });
  }

  /** Says of a refusal that it is one of the caller's token. */
  private Throwable explained(Throwable why) {
    return settings.options().isOfCaller() && OAuthException.reason(why) == OAuthFailure.DENIED
        ? new OAuthException(
            OAuthFailure.DENIED,
            "the caller's token was not exchanged: "
                + why.getMessage()
                + "; the authorization server has to let the client "
                + settings.options().clientId()
                + " exchange tokens of that issuer and audience for this server")
        : why;
  }

  /** The present token of the caller whose connection this is. */
  private Future<String> ofCaller() {
    return caller
        .get()
        .compose(
            token ->
                vertx.isClustered() && SubjectToken.flaw(token, clock.instant()) != null
                    ? vertx.timer(AGAIN_MILLIS).compose(later -> caller.get())
                    : Future.succeededFuture(token))
        .compose(
            token -> {
              String flaw = SubjectToken.flaw(token, clock.instant());
              return token == null || flaw != null
                  ? OAuthFailure.LOGIN_REQUIRED.fails(String.valueOf(flaw))
                  : Future.succeededFuture(token.reveal());
            });
  }

  private Future<String> subject(IdentityProvider idp) {
    if (idp.isOfCaller()) {
      return ofCaller();
    }
    Path file = idp.subjectTokenFile();
    if (file == null) {
      Sensitive token = idp.subjectToken();
      return token == null || token.isEmpty()
          ? OAuthFailure.LOGIN_REQUIRED.fails("\"idJag\" has no subject token")
          : Future.succeededFuture(token.reveal());
    }
    return vertx
        .executeBlocking(
            () -> Files.size(file) > MAX_ASSERTION ? "" : Files.readString(file).strip(), false)
        .recover(failure -> Future.succeededFuture(""))
        .compose(
            token ->
                token.isEmpty()
                    ? OAuthFailure.LOGIN_REQUIRED.fails("the file of the subject token is unusable")
                    : Future.succeededFuture(token));
  }

  private Future<Obtained> login(
      DiscoveredServers place, Set<String> scopes, @Nullable RegisteredClient known) {
    ServerMetadata server = place.server();
    String page = server.authorizationEndpoint();
    if (page == null || !server.provesCodes(settings.options().clientId() != null)) {
      return OAuthFailure.INVALID.fails(
          page == null
              ? "the authorization server has no authorization endpoint"
              : "the authorization server does not support PKCE with S256, or does not say so: no login"
                  + " is started. If it does, as Entra ID and Cognito, register a client there and"
                  + " set \"clientId\"");
    }
    return listen(server, known)
        .compose(
            login ->
                registrar
                    .client(server, known, login.redirectUri(), clock.instant())
                    .compose(client -> login(place, scopes, client, login, page))
                    .eventually(() -> login.close()));
  }

  /**
   * Where the browser comes back: for a principal at mcpbus itself, else at a port of this machine;
   * at the registered one if possible, so that the registration can be used again.
   */
  private Future<AwaitedCode> listen(ServerMetadata server, @Nullable RegisteredClient known) {
    if (logins != null) {
      return logins.open();
    }
    URI wanted = settings.options().redirectUri();
    String registered = known == null ? null : known.redirectUri();
    if (wanted.getPort() > 0
        || known == null
        || registered == null
        || !IssuerKeys.isSame(known.issuer(), server.issuer())) {
      return BrowserLogin.listen(vertx, wanted);
    }
    return BrowserLogin.listen(vertx, URI.create(registered))
        .recover(failure -> BrowserLogin.listen(vertx, wanted));
  }

  private Future<Obtained> login(
      DiscoveredServers place,
      Set<String> scopes,
      RegisteredClient client,
      AwaitedCode login,
      String page) {
    Map<String, String> query = new LinkedHashMap<>();
    query.put("response_type", "code");
    query.put("client_id", client.id());
    query.put("redirect_uri", login.redirectUri());
    query.put("state", login.state());
    query.put("code_challenge", OAuthDigests.s256(login.verifier()));
    query.put("code_challenge_method", "S256");
    settings.addResource(query, place.resource().resource());
    TokenBinding binding = TokenBinding.of(place.dpop());
    if (binding.key() != null) {
      query.put("dpop_jkt", binding.key().thumbprint());
    }
    if (!scopes.isEmpty()) {
      query.put("scope", String.join(" ", scopes));
    }
    if (scopes.contains("offline_access")) {
      query.put("prompt", "consent");
    }
    URI checked;
    try {
      checked = guard.form(page, "the login page");
    } catch (OAuthException e) {
      return Future.failedFuture(e);
    }
    URI shown = URI.create(FormEncoding.query(checked.toASCIIString(), query, OVERRIDES));
    Future<String> code =
        login
            .code(place.server(), loginTimeout)
            .recover(
                why ->
                    Future.failedFuture(
                        OAuthException.reason(why) == OAuthFailure.CLIENT_FORGOTTEN
                            ? client.unknown(String.valueOf(why.getMessage()))
                            : why));
    login.leadsTo(shown, loginTimeout);
    prompt.login(settings.origin(), shown, loginTimeout);
    code.onComplete(ended -> prompt.ended(shown));
    return code.compose(
        received ->
            request(
                place,
                scopes,
                client,
                Map.of(
                    "grant_type",
                    "authorization_code",
                    "code",
                    received,
                    "redirect_uri",
                    login.redirectUri(),
                    "code_verifier",
                    login.verifier()),
                binding));
  }
}
