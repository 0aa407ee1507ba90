package dev.mcpbus.security.oauth;

import dev.mcpbus.protocol.ClientAuthentication;
import dev.mcpbus.protocol.DpopMode;
import dev.mcpbus.protocol.IdentityProvider;
import dev.mcpbus.protocol.OAuthGrant;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.protocol.Sha256;
import dev.mcpbus.protocol.WorkloadIdentity;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
 * @param workload the platform's JWT for this process, null for none
 * @param dpop whether tokens are bound to a key
 * @param otherResource sent in place of the server's identifier, empty for none; null for that
 */
public record OAuthSettings(
    URI server,
    String clientName,
    OAuthGrant grant,
    @Nullable String clientId,
    @Nullable Sensitive clientSecret,
    @Nullable ClientAuthentication authMethod,
    Set<String> scopes,
    @Nullable String issuer,
    @Nullable String clientMetadataUrl,
    URI redirectUri,
    @Nullable Path privateKey,
    @Nullable String keyId,
    @Nullable IdentityProvider idJag,
    @Nullable WorkloadIdentity workload,
    DpopMode dpop,
    @Nullable String otherResource) {

  public OAuthSettings {
    scopes = Set.copyOf(scopes);
  }

  /** The server's canonical URI (RFC 8707): lower case, no default port, query or fragment. */
  public String resource() {
    String path =
        server.getRawPath() == null || server.getRawPath().equals("/") ? "" : server.getRawPath();
    return origin() + path;
  }

  /** Adds the parameter {@code resource} (RFC 8707), if one is sent. */
  void addResource(Map<String, String> parameters, String named) {
    String sent = otherResource == null ? named : otherResource;
    if (!sent.isEmpty()) {
      parameters.put("resource", sent);
    }
  }

  /** The resource without its path, which may hold a secret; for messages. */
  String origin() {
    return GuardedHttp.origin(server);
  }

  /**
   * The key in the token store: equal for settings that may share tokens. A hash, so it shows no
   * secret.
   */
  String key() {
    IdentityProvider idp = idJag;
    List<Object> identity = new ArrayList<>();
    identity.addAll(
        List.of(
            resource(),
            grant,
            String.valueOf(clientId),
            String.valueOf(clientMetadataUrl),
            String.valueOf(issuer),
            new TreeSet<>(scopes),
            idp == null ? "" : idp.tokenEndpoint() + " " + idp.clientId(),
            idp == null ? "" : idp.subjectToken() == null ? "null" : idp.subjectToken().reveal(),
            idp == null ? "" : String.valueOf(idp.subjectTokenFile())));
    if (workload != null) {
      identity.add(workload.token() == null ? "" : workload.token().reveal());
      identity.add(String.valueOf(workload.tokenFile()));
    }
    if (dpop != DpopMode.AUTO) {
      identity.add(dpop);
    }
    if (otherResource != null) {
      identity.add("resource " + otherResource);
    }
    if (server.getRawQuery() != null) {
      identity.add("?" + server.getRawQuery()); // often names an account or a tenant
    }
    return Sha256.hex(identity.toString());
  }

  /** Names the server and nothing else. */
  @Override
  public String toString() {
    return "oauth[" + grant + " for " + origin() + "]";
  }
}
