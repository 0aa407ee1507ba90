package dev.mcpbus.security.oauth;

import dev.mcpbus.protocol.Sensitive;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of the tokens for one MCP server. Immutable.
 *
 * @param server URL of the MCP endpoint
 * @param clientName shown to a person who logs in
 * @param clientId of an earlier registration, null to register by other means
 * @param clientSecret of that client, null for a public client
 * @param authMethod at the token endpoint; null: as the authorization server's metadata says
 * @param scopes requested in addition to those that the server names
 * @param issuer the only authorization server to use; null: the one that the server names
 * @param clientMetadataUrl URL of this client's metadata document, null for none
 * @param redirectUri on loopback; with port 0 the system chooses a port
 * @param privateKey PEM file for signed assertions, null for none
 * @param keyId of that key, null for none
 * @param idJag the enterprise's identity provider, null for none
 */
public record OAuthSettings(
    URI server,
    String clientName,
    Grant grant,
    @Nullable String clientId,
    @Nullable Sensitive clientSecret,
    @Nullable AuthMethod authMethod,
    Set<String> scopes,
    @Nullable String issuer,
    @Nullable String clientMetadataUrl,
    URI redirectUri,
    @Nullable Path privateKey,
    @Nullable String keyId,
    @Nullable IdJag idJag) {

  /** How a token is obtained. */
  public enum Grant {
    AUTHORIZATION_CODE,
    CLIENT_CREDENTIALS,
    JWT_BEARER,
    ID_JAG
  }

  /** Client authentication; the lower-case name is the one of OAuth metadata. */
  public enum AuthMethod {
    NONE,
    CLIENT_SECRET_BASIC,
    CLIENT_SECRET_POST,
    PRIVATE_KEY_JWT;

    String wire() {
      return name().toLowerCase(Locale.ROOT);
    }

    static @Nullable AuthMethod of(@Nullable String wire) {
      for (AuthMethod method : values()) {
        if (method.wire().equals(wire)) {
          return method;
        }
      }
      return null;
    }
  }

  /**
   * The identity provider that exchanges an identity assertion for a grant (ID-JAG).
   *
   * @param tokenEndpoint of the identity provider
   * @param subjectToken the assertion, or null if it is in the file
   * @param subjectTokenFile read at each use, or null
   * @param subjectTokenType a URN
   */
  public record IdJag(
      String tokenEndpoint,
      String clientId,
      @Nullable Sensitive clientSecret,
      @Nullable Sensitive subjectToken,
      @Nullable Path subjectTokenFile,
      String subjectTokenType) {

    @Override
    public String toString() {
      return "idJag";
    }
  }

  public OAuthSettings {
    scopes = Set.copyOf(scopes);
  }

  /** The server's canonical URI (RFC 8707): lower case, no default port, query or fragment. */
  public String resource() {
    String path =
        server.getRawPath() == null || server.getRawPath().equals("/") ? "" : server.getRawPath();
    return origin() + path;
  }

  /** The resource without its path, which may hold a secret; for messages. */
  String origin() {
    String scheme = server.getScheme().toLowerCase(Locale.ROOT);
    int port = server.getPort();
    boolean standard = port < 0 || port == (scheme.equals("https") ? 443 : 80);
    return scheme
        + "://"
        + server.getHost().toLowerCase(Locale.ROOT)
        + (standard ? "" : ":" + port);
  }

  /**
   * The key in the token store: equal for settings that may share tokens. A hash, so it shows no
   * secret.
   */
  String key() {
    IdJag idp = idJag;
    List<Object> identity =
        List.of(
            resource(),
            grant,
            String.valueOf(clientId),
            String.valueOf(clientMetadataUrl),
            String.valueOf(issuer),
            new TreeSet<>(scopes),
            idp == null ? "" : idp.tokenEndpoint + " " + idp.clientId,
            idp == null ? "" : idp.subjectToken == null ? "null" : idp.subjectToken.reveal(),
            idp == null ? "" : String.valueOf(idp.subjectTokenFile));
    return HexFormat.of()
        .formatHex(OAuthDigests.sha256(identity.toString().getBytes(StandardCharsets.UTF_8)));
  }

  /** Names the server and nothing else. */
  @Override
  public String toString() {
    return "oauth[" + grant + " for " + origin() + "]";
  }
}
