package dev.mcpbus.security;

import dev.mcpbus.security.AuthOptions.Issuer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.HostAndPort;
import java.net.URI;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tells clients which tokens we accept: the metadata document of RFC 9728 and the challenge of RFC
 * 6750. Stateless.
 *
 * @param options of which the issuers and our own URL count
 */
record ProtectedResourceMetadata(AuthOptions options) {

  private static final String PATH = MountPath.PROTECTED_RESOURCE.root();

  /** Paths that may stand in a header and a URL unchanged. */
  private static final Pattern PLAIN = Pattern.compile("(/[A-Za-z0-9._~-]{1,128}){0,8}");

  private static final String REALM = "Bearer realm=\"mcpbus\"";

  /** The metadata document for the request's path; null if there is none. */
  @Nullable JsonObject document(HttpServerRequest request) {
    String path = String.valueOf(request.path());
    String of = path.substring(PATH.length());
    if (!options.takesTokens() || !PLAIN.matcher(of).matches()) {
      return null;
    }
    URI base = base(request);
    Set<String> scopes = new TreeSet<>();
    JsonArray servers = new JsonArray();
    if (options.signIn() != null) {
      servers.add(origin(base));
    }
    for (Issuer issuer : options.issuers()) {
      servers.add(issuer.issuer());
      scopes.addAll(issuer.requiredScopes());
      scopes.addAll(issuer.adminScopes());
    }
    JsonObject document =
        new JsonObject()
            .put("resource", of.isEmpty() ? base.toString() : origin(base) + of)
            .put("authorization_servers", servers)
            .put("bearer_methods_supported", new JsonArray().add("header"))
            .put("resource_name", "mcpbus");
    if (!scopes.isEmpty()) {
      document.put("scopes_supported", new JsonArray(scopes.stream().toList()));
    }
    return document;
  }

  /**
   * The value of {@code WWW-Authenticate}.
   *
   * @param error a code of RFC 6750; null if the request had no credential
   * @param scopes that the client needs
   */
  String challenge(HttpServerRequest request, @Nullable String error, Set<String> scopes) {
    StringBuilder challenge = new StringBuilder(REALM);
    if (error != null) {
      challenge.append(", error=\"").append(error).append('"');
    }
    if (options.takesTokens()) {
      URI base = base(request);
      String path = String.valueOf(request.path());
      boolean plain = options.resource() == null && PLAIN.matcher(path).matches();
      String of = plain ? path : String.valueOf(base.getRawPath());
      challenge
          .append(", resource_metadata=\"")
          .append(origin(base))
          .append(PATH)
          .append(of)
          .append('"');
      if (!scopes.isEmpty()) {
        challenge.append(", scope=\"").append(String.join(" ", new TreeSet<>(scopes))).append('"');
      }
    }
    return challenge.toString();
  }

  /** The URL by which the client addresses us; {@link OriginGuard} has checked the Host header. */
  private URI base(HttpServerRequest request) {
    String known = options.resource();
    if (known != null) {
      return URI.create(known);
    }
    SignInOptions signIn = options.signIn();
    URI own = signIn == null ? null : signIn.url();
    if (own != null) {
      return own;
    }
    HostAndPort host = request.authority();
    String port = host == null || host.port() < 0 ? "" : ":" + host.port();
    return URI.create(request.scheme() + "://" + (host == null ? "" : host.host()) + port);
  }

  private static String origin(URI base) {
    return base.getScheme() + "://" + base.getRawAuthority();
  }
}
