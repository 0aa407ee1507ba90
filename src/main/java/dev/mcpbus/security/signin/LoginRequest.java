package dev.mcpbus.security.signin;

import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * What a program asks for, checked: from the consent page to the code. It travels in sealed texts.
 * Also what a link of {@code /login/} asks for: who is at the browser, and no token.
 *
 * @param base our URL, the issuer
 * @param binding stands for the id of the client
 * @param client the {@code client_id} that the access token names
 * @param name what the client calls itself
 * @param redirectUri null for a device and a link
 * @param state of the client, for the response; null for none
 * @param challenge of PKCE (S256); null for a device and a link
 * @param resource for which the token is good
 * @param renews whether the client gets refresh tokens
 * @param userCode of a device, the ticket of a link; null for a program with a browser
 */
record LoginRequest(
    String base,
    String binding,
    String client,
    String name,
    @Nullable String redirectUri,
    @Nullable String state,
    @Nullable String challenge,
    String resource,
    boolean renews,
    @Nullable String userCode) {

  private static final int SHORT_BINDING = 22;
  private static final String LINK = "mcpbus-login";

  /** The login by which a person proves who he is, for the page of this ticket. */
  static LoginRequest ofLink(String base, String ticket) {
    return new LoginRequest(base, "", LINK, "", null, null, null, base, false, ticket);
  }

  boolean isLink() {
    return client.equals(LINK);
  }

  boolean isConsole() {
    return client.equals(SignInClient.CONSOLE);
  }

  /** The {@code client_id} for tokens: the id itself is too long where it is a registration. */
  static String shortId(SignInClient client) {
    return client.isDocument() || client.isConsole()
        ? client.id()
        : "registered-" + SignInClient.binding(client.id()).substring(0, SHORT_BINDING);
  }

  JsonObject json() {
    return new JsonObject()
        .put("base", base)
        .put("binding", binding)
        .put("client", client)
        .put("name", name)
        .put("redirectUri", redirectUri)
        .put("state", state)
        .put("challenge", challenge)
        .put("resource", resource)
        .put("renews", renews)
        .put("userCode", userCode);
  }

  /**
   * @param sealed made by {@link #json}
   */
  static LoginRequest of(JsonObject sealed) {
    return new LoginRequest(
        sealed.getString("base"),
        sealed.getString("binding"),
        sealed.getString("client"),
        sealed.getString("name"),
        sealed.getString("redirectUri"),
        sealed.getString("state"),
        sealed.getString("challenge"),
        sealed.getString("resource"),
        sealed.getBoolean("renews"),
        sealed.getString("userCode"));
  }
}
