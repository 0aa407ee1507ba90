package dev.mcpbus.config.read;

import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.read.ConfigNode.ValueType;
import dev.mcpbus.config.read.Substitution.Filled;
import dev.mcpbus.protocol.ClientAuthentication;
import dev.mcpbus.protocol.DpopMode;
import dev.mcpbus.protocol.IdentityProvider;
import dev.mcpbus.protocol.OAuthGrant;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.protocol.WorkloadIdentity;
import dev.mcpbus.security.oauth.TokenStoreProvider;
import dev.mcpbus.transport.OAuthOptions;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code oauth}, or {@code auth}, of a server. No problem quotes a value: it may be a secret.
 */
final class OAuthReader {

  /** The assertion of an ID-JAG that is the caller's own token. */
  private static final String OF_CALLER = "${caller.token}";

  private final ConfigEntry server;
  private final JsonObject view;

  /**
   * @param view receives what may be shown
   */
  OAuthReader(ConfigEntry server, JsonObject view) {
    this.server = server;
    this.view = view;
  }

  /** Empty if the server has neither key, or after a problem. */
  Optional<OAuthOptions> read() {
    if (server.has("oauth") && server.has("auth")) {
      server.wrong(server.line("auth"), "\"oauth\" and \"auth\" mean the same", "Keep one of them");
      return Optional.empty();
    }
    return server.object(server.has("auth") ? "auth" : "oauth").map(entry -> options(entry));
  }

  private OAuthOptions options(ConfigEntry entry) {
    OAuthGrant grant =
        entry
            .choice("grant", OAuthGrant.class)
            .orElse(
                entry.has("workloadIdentity")
                    ? OAuthGrant.WORKLOAD_IDENTITY
                    : OAuthGrant.AUTHORIZATION_CODE);
    OAuthOptions options =
        new OAuthOptions(
            grant,
            text(entry, either(entry, "clientId", "CLIENT_ID")),
            secret(entry, either(entry, "clientSecret", "CLIENT_SECRET")),
            entry.choice("tokenEndpointAuthMethod", ClientAuthentication.class).orElse(null),
            scopes(entry),
            url(entry, "issuer"),
            url(entry, "clientMetadataUrl"),
            redirect(entry),
            entry.file("privateKey").orElse(null),
            text(entry, "keyId"),
            entry.object("idJag").map(OAuthReader::idJag).orElse(null),
            entry.object("workloadIdentity").map(OAuthReader::workload).orElse(null),
            entry.choice("dpop", DpopMode.class).orElse(DpopMode.AUTO),
            entry
                .plugin("tokenStore", Plugins.tokenStores())
                .map(TokenStoreProvider::name)
                .orElse(null),
            entry.isFalse("resource") ? "" : text(entry, "resource"),
            text(entry, "exchangeAudience"));
    needs(entry, options);
    view.put(
        "oauth",
        new JsonObject()
            .put("grant", ConfigEntry.word(grant).replace('-', '_'))
            .put("clientId", options.clientId() == null ? null : Sensitive.MASK)
            .put("clientSecret", options.clientSecret() == null ? null : Sensitive.MASK));
    return options;
  }

  private static void needs(ConfigEntry entry, OAuthOptions options) {
    OAuthGrant grant = options.grant();
    if (grant != OAuthGrant.AUTHORIZATION_CODE
        && grant != OAuthGrant.WORKLOAD_IDENTITY
        && options.clientId() == null
        && options.clientMetadataUrl() == null) {
      need(entry, grant, "clientId");
    }
    if (grant == OAuthGrant.CLIENT_CREDENTIALS
        && options.clientSecret() == null
        && options.privateKey() == null) {
      need(entry, grant, "clientSecret", "privateKey");
    }
    boolean signs =
        grant == OAuthGrant.JWT_BEARER
            || options.authMethod() == ClientAuthentication.PRIVATE_KEY_JWT;
    if (signs && options.privateKey() == null) {
      need(entry, grant, "privateKey");
    }
    if (grant == OAuthGrant.ID_JAG && !entry.has("idJag")) {
      need(entry, grant, "idJag");
    }
    if (grant == OAuthGrant.WORKLOAD_IDENTITY && !entry.has("workloadIdentity")) {
      need(entry, grant, "workloadIdentity");
    }
  }

  /**
   * @param keys of which one is needed
   */
  private static void need(ConfigEntry entry, OAuthGrant grant, String... keys) {
    if (!entry.hasMisspelt(entry.schema().names(), keys)) {
      String quoted = '"' + String.join("\" or \"", keys) + '"';
      entry.wrong(
          entry.line("grant"),
          "the grant " + ConfigEntry.word(grant).replace('-', '_') + " needs " + quoted,
          "Add " + quoted);
    }
  }

  /** The name that the entry uses. */
  private static String either(ConfigEntry entry, String ours, String theirs) {
    if (entry.has(ours) && entry.has(theirs)) {
      entry.wrong(
          entry.line(theirs),
          "\"" + ours + "\" and \"" + theirs + "\" mean the same",
          "Keep one of them");
    }
    return entry.has(theirs) ? theirs : ours;
  }

  private static @Nullable Sensitive secret(ConfigEntry entry, String key) {
    return filled(entry, key, entry.text(key).map(Filled::value), Sensitive::isBlank);
  }

  private static @Nullable String text(ConfigEntry entry, String key) {
    return filled(entry, key, entry.word(key), String::isBlank);
  }

  private static <T> @Nullable T filled(
      ConfigEntry entry, String key, Optional<T> text, Predicate<T> isBlank) {
    if (text.filter(isBlank).isPresent()) {
      entry.wrong(
          entry.line(key),
          MessageTexts.quote(entry.path() + key) + " is empty",
          "Fill it or remove it");
    }
    return text.orElse(null);
  }

  /** A list, or one string with blanks between the scopes. */
  private static List<String> scopes(ConfigEntry entry) {
    ConfigNode node = entry.node().get("scopes");
    if (node == null) {
      return List.of();
    }
    List<String> scopes =
        node.is(ValueType.ARRAY)
            ? entry.words("scopes")
            : entry
                .word("scopes")
                .map(text -> List.of(text.strip().split("\\s+")))
                .orElse(List.of());
    if (!scopes.stream().allMatch(OAuthReader::isScope)) {
      entry.wrong(
          entry.line("scopes"),
          MessageTexts.quote(entry.path() + "scopes") + " has an invalid scope",
          "Write visible ASCII characters without quotes and backslashes");
    }
    return scopes;
  }

  private static boolean isScope(String scope) {
    return !scope.isEmpty()
        && scope.chars().allMatch(c -> c > 0x20 && c < 0x7f && c != '"' && c != '\\');
  }

  private static URI redirect(ConfigEntry entry) {
    if (entry.has("callbackPort")) {
      return entry
          .whole("callbackPort")
          .map(port -> URI.create("http://localhost:" + port + "/callback"))
          .orElse(OAuthOptions.ANY_LOOPBACK_PORT);
    }
    return entry
        .whole("redirectPort")
        .map(port -> URI.create("http://127.0.0.1:" + port + "/callback"))
        .orElse(OAuthOptions.ANY_LOOPBACK_PORT);
  }

  private static @Nullable URI url(ConfigEntry entry, String key) {
    if (entry.text(key).filter(Filled::open).isPresent()) {
      return ServerUrlReader.UNKNOWN;
    }
    String text = text(entry, key);
    URI url = text == null ? null : CredentialUrl.parse(text);
    if (text == null || url != null) {
      return url;
    }
    entry.wrong(
        entry.line(key),
        MessageTexts.quote(entry.path() + key) + " is not an https URL",
        "Write https://host/path, without user and fragment");
    return null;
  }

  private static @Nullable WorkloadIdentity workload(ConfigEntry entry) {
    Sensitive token = secret(entry, "token");
    Path file = entry.file("tokenFile").orElse(null);
    if (entry.lacksEach("tokenFile", "token") || (token != null && file != null)) {
      entry.wrong(
          entry.node().line(),
          "\"workloadIdentity\" needs tokenFile, or token",
          "Write one of them");
    }
    return (token == null) == (file == null) ? null : new WorkloadIdentity(token, file);
  }

  private static @Nullable IdentityProvider idJag(ConfigEntry entry) {
    URI endpoint = url(entry, "tokenEndpoint");
    String clientId = text(entry, "clientId");
    ConfigNode written = entry.node().get("subjectToken");
    boolean ofCaller = written != null && written.text().equals(OF_CALLER);
    Sensitive token = ofCaller ? Sensitive.of("") : secret(entry, "subjectToken");
    Path file = entry.file("subjectTokenFile").orElse(null);
    String type = text(entry, "subjectTokenType");
    if (entry.lacks("tokenEndpoint", "clientId")
        || entry.lacksEach("subjectToken", "subjectTokenFile")
        || (token != null && file != null)) {
      entry.wrong(
          entry.node().line(),
          "\"idJag\" needs tokenEndpoint, clientId, and subjectToken or subjectTokenFile",
          "Add what is missing");
    }
    if ((token == null) == (file == null) || endpoint == null || clientId == null) {
      return null;
    }
    return new IdentityProvider(
        endpoint,
        clientId,
        secret(entry, "clientSecret"),
        token,
        file,
        type != null ? type : ofCaller ? "access_token" : "id_token");
  }
}
