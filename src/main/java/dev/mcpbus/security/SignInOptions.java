package dev.mcpbus.security;

import dev.mcpbus.protocol.Sensitive;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of {@code auth.signIn}: mcpbus as the authorization server of MCP clients, in
 * front of an OpenID provider.
 *
 * @param url our origin as browsers and clients know it, without a path; null: from the {@code
 *     Host} header, on loopback alone
 * @param provider who knows the persons
 * @param name begins the name of each principal, before a colon
 * @param claims what makes a principal of an id token
 * @param accessToken lifetime of an access token
 * @param refreshToken how long a login lasts; each renewal begins this time anew
 * @param registration whether programs may register (RFC 7591)
 * @param clientIds globs of the URLs of client id metadata documents that are accepted
 */
public record SignInOptions(
    @Nullable URI url,
    OpenIdProvider provider,
    String name,
    ClaimMapping claims,
    Duration accessToken,
    Duration refreshToken,
    boolean registration,
    List<String> clientIds) {

  /** The name of principals where the configuration gives none. */
  public static final String DEFAULT_NAME = "user";

  public static final Duration ACCESS_TOKEN = Duration.ofMinutes(10);
  public static final Duration REFRESH_TOKEN = Duration.ofDays(30);

  public SignInOptions {
    clientIds = List.copyOf(clientIds);
  }

  /** A sign-in with nothing but defaults. */
  public static SignInOptions of(@Nullable URI url, OpenIdProvider provider) {
    return new SignInOptions(
        url,
        provider,
        DEFAULT_NAME,
        ClaimMapping.DEFAULT,
        ACCESS_TOKEN,
        REFRESH_TOKEN,
        true,
        List.of("https://*"));
  }

  /**
   * The OpenID provider, at which mcpbus is a client with the redirect URI {@code
   * <url>/oauth/callback}.
   *
   * @param issuer its identifier; its metadata is at {@code
   *     <issuer>/.well-known/openid-configuration}
   * @param clientSecret null for a public client
   * @param scopes that are asked for beside {@code openid}
   */
  public record OpenIdProvider(
      String issuer, String clientId, @Nullable Sensitive clientSecret, List<String> scopes) {

    public OpenIdProvider {
      scopes = List.copyOf(scopes);
    }
  }
}
