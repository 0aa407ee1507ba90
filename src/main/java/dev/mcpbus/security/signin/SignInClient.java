package dev.mcpbus.security.signin;

import dev.mcpbus.protocol.Printable;
import dev.mcpbus.protocol.Sha256;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A program that may ask for tokens, always a public one, without a secret.
 *
 * @param id its {@code client_id}
 * @param name what it calls itself; anybody may choose any name
 * @param renews whether it may have refresh tokens
 */
record SignInClient(String id, String name, List<String> redirectUris, boolean renews) {

  static final String CODE_GRANT = "authorization_code";
  static final String REFRESH_GRANT = "refresh_token";
  static final String DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

  /** The id of our own console: nobody registers it, as a registration is a sealed text. */
  static final String CONSOLE = "mcpbus-console";

  private static final int MAX_NAME = 100;

  SignInClient {
    redirectUris = List.copyOf(redirectUris);
  }

  /**
   * The client that a registration or a metadata document describes (RFC 7591, section 2).
   *
   * @param most how many redirect URIs it may have
   * @throws SignInRefusal if it is not acceptable
   */
  static SignInClient of(String id, JsonObject metadata, int most) throws SignInRefusal {
    List<String> grants = texts(metadata, "grant_types");
    boolean device = grants != null && grants.contains(DEVICE_GRANT);
    List<String> uris = texts(metadata, "redirect_uris");
    if (uris == null || uris.size() > most || (uris.isEmpty() && !device)) {
      throw SignInRefusal.json(
          "invalid_redirect_uri", "redirect_uris is a list of 1 to " + most + " URIs");
    }
    for (String uri : uris) {
      String problem = RedirectUris.problem(uri);
      if (problem != null) {
        throw SignInRefusal.json("invalid_redirect_uri", problem);
      }
    }
    List<String> types = texts(metadata, "response_types");
    if ((grants != null && !grants.contains(CODE_GRANT) && !device)
        || (types != null && !types.isEmpty() && !types.contains("code"))) {
      throw SignInRefusal.json(
          "invalid_client_metadata", "clients use authorization codes or device codes here");
    }
    if (!(metadata.getValue("client_name", "") instanceof String called)
        || called.length() > MAX_NAME) {
      throw SignInRefusal.json(
          "invalid_client_metadata", "client_name is a text of at most " + MAX_NAME);
    }
    String name = Printable.line(called).strip();
    return new SignInClient(
        id,
        name.isEmpty() ? "A program without a name" : name,
        uris,
        grants == null || grants.contains(REFRESH_GRANT));
  }

  /**
   * Our own console, which is sent back to its page and nowhere else.
   *
   * @param base our URL
   */
  static SignInClient console(String base) {
    return new SignInClient(CONSOLE, "The console of mcpbus", List.of(base + "/"), true);
  }

  boolean isConsole() {
    return id.equals(CONSOLE);
  }

  /** Whether it may be sent back to this place. */
  boolean permits(String redirect) {
    return isConsole()
        ? redirectUris.contains(redirect)
        : RedirectUris.permits(redirectUris, redirect);
  }

  /** An empty list for no member; null for one that is no list of texts. */
  private static @Nullable List<String> texts(JsonObject of, String member) {
    Object value = of.getValue(member);
    if (value == null) {
      return member.equals("grant_types") ? null : List.of();
    }
    if (!(value instanceof JsonArray array)) {
      return null;
    }
    List<String> all = new ArrayList<>();
    for (Object one : array) {
      if (!(one instanceof String text)) {
        return null;
      }
      all.add(text);
    }
    return all;
  }

  /** Stands for the id where that is too long. */
  static String binding(String id) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(Sha256.of(id.getBytes(StandardCharsets.UTF_8)));
  }

  boolean isDocument() {
    return id.startsWith("https:");
  }
}
