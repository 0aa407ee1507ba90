package dev.mcpbus.security.oauth;

import dev.mcpbus.protocol.OAuthGrant;
import java.util.LinkedHashSet;
import java.util.Set;

/** Selects the scopes to request: as few as possible. */
final class ScopeSelection {

  static final String OFFLINE = "offline_access";

  private ScopeSelection() {}

  /**
   * The scopes of the challenge, else those that the server supports, else none; plus the
   * configured ones. {@code offline_access} only if the authorization server lists it and a person
   * logs in.
   *
   * @param before scopes of earlier requests, kept when others are added
   */
  static Set<String> select(
      TokenChallenge challenge,
      Set<String> before,
      OAuthSettings settings,
      ResourceMetadata resource,
      ServerMetadata server) {
    Set<String> scopes = new LinkedHashSet<>(before);
    scopes.addAll(settings.options().scopes());
    if (challenge.scope() != null) {
      scopes.addAll(challenge.scope());
    } else if (settings.options().scopes().isEmpty()
        && before.isEmpty()
        && resource.scopes() != null) {
      scopes.addAll(TokenChallenge.scopes(String.join(" ", resource.scopes())));
    }
    boolean offline =
        settings.options().grant() == OAuthGrant.AUTHORIZATION_CODE
            && server.scopes() != null
            && server.scopes().contains(OFFLINE);
    if (offline && !scopes.isEmpty()) {
      scopes.add(OFFLINE);
    } else {
      scopes.remove(OFFLINE);
    }
    return scopes;
  }
}
