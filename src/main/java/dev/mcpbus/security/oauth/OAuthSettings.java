package dev.mcpbus.security.oauth;

import dev.mcpbus.protocol.DpopMode;
import dev.mcpbus.protocol.IdentityProvider;
import dev.mcpbus.protocol.Sha256;
import dev.mcpbus.protocol.WorkloadIdentity;
import dev.mcpbus.transport.OAuthOptions;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of the tokens for one MCP server. Immutable.
 *
 * @param server URL of the MCP endpoint
 * @param owner how the key of the tokens of one principal begins; null for those of mcpbus
 */
public record OAuthSettings(URI server, OAuthOptions options, @Nullable String owner) {

  /** Settings of a server whose one token is that of mcpbus. */
  public OAuthSettings(URI server, OAuthOptions options) {
    this(server, options, null);
  }

  /** The only authorization server to use; null: the one that the server names. */
  @Nullable String issuer() {
    return options.issuer() == null ? null : options.issuer().toString();
  }

  /** The server's canonical URI (RFC 8707): lower case, no default port, query or fragment. */
  public String resource() {
    String path =
        server.getRawPath() == null || server.getRawPath().equals("/") ? "" : server.getRawPath();
    return origin() + path;
  }

  /** Adds the parameter {@code resource} (RFC 8707), if one is sent. */
  void addResource(Map<String, String> parameters, String named) {
    String sent = options.resource() == null ? named : options.resource();
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
    IdentityProvider idp = options.idJag();
    WorkloadIdentity workload = options.workloadIdentity();
    List<Object> identity = new ArrayList<>();
    identity.addAll(
        List.of(
            resource(),
            options.grant(),
            String.valueOf(options.clientId()),
            String.valueOf(options.clientMetadataUrl()),
            String.valueOf(options.issuer()),
            new TreeSet<>(options.scopes()),
            idp == null ? "" : idp.tokenEndpoint() + " " + idp.clientId(),
            idp == null ? "" : idp.subjectToken() == null ? "null" : idp.subjectToken().reveal(),
            idp == null ? "" : String.valueOf(idp.subjectTokenFile())));
    if (workload != null) {
      identity.add(workload.token() == null ? "" : workload.token().reveal());
      identity.add(String.valueOf(workload.tokenFile()));
    }
    if (options.dpop() != DpopMode.AUTO) {
      identity.add(options.dpop());
    }
    if (options.audience() != null) {
      identity.add("audience " + options.audience());
    }
    if (options.resource() != null) {
      identity.add("resource " + options.resource());
    }
    if (server.getRawQuery() != null) {
      identity.add("?" + server.getRawQuery()); // often names an account or a tenant
    }
    String shared = Sha256.hex(identity.toString());
    return owner == null ? shared : owner + " " + shared;
  }

  /** Names the server and nothing else. */
  @Override
  public String toString() {
    return "oauth[" + options.grant() + " for " + origin() + "]";
  }
}
