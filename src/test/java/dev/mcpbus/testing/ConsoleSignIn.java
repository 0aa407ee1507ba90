package dev.mcpbus.testing;

import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.SignInOptions;
import dev.mcpbus.security.SignInOptions.OpenIdProvider;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the console does when a person signs in with an {@link IdentityProvider}, without a page.
 */
public final class ConsoleSignIn {

  /** A pair of PKCE (RFC 7636, appendix B). */
  private static final String VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

  private static final String CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

  private ConsoleSignIn() {}

  /** No program registers; a person is {@code user:NAME}. */
  public static AuthOptions auth(IdentityProvider provider, Duration accessToken) {
    SignInOptions some =
        SignInOptions.of(
            null,
            new OpenIdProvider(
                provider.issuer(),
                "mcpbus",
                Sensitive.of(IdentityProvider.SECRET),
                List.of("groups")));
    SignInOptions options =
        RecordCopy.with(RecordCopy.with(some, "registration", false), "accessToken", accessToken);
    return RecordCopy.with(AuthOptions.NONE, "signIn", options);
  }

  /** The request with which the console begins. */
  public static Map<String, String> request(String base, String state) {
    Map<String, String> fields = new LinkedHashMap<>();
    fields.put("response_type", "code");
    fields.put("client_id", "mcpbus-console");
    fields.put("redirect_uri", base + "/");
    fields.put("state", state);
    fields.put("code_challenge", CHALLENGE);
    fields.put("code_challenge_method", "S256");
    return fields;
  }

  /** The address with which a person comes back to the console; it is not opened. */
  public static URI answer(String base, String person, Map<String, String> request) {
    return new FormBrowser()
        .signIn(
            URI.create(base + "/oauth/authorize?" + FormBrowser.encoded(request)),
            person,
            uri ->
                (uri.getScheme() + "://" + uri.getAuthority() + uri.getPath()).equals(base + "/"));
  }

  /** The access token of a person who signs in. */
  public static String token(int port, String person) {
    String base = "http://127.0.0.1:" + port;
    URI back = answer(base, person, request(base, "state of the console"));
    Map<String, String> form =
        Map.of(
            "grant_type",
            "authorization_code",
            "client_id",
            "mcpbus-console",
            "code",
            FormBrowser.field(back, "code"),
            "redirect_uri",
            base + "/",
            "code_verifier",
            VERIFIER);
    Http.Answer answer =
        Http.post(
            port,
            "/oauth/token",
            FormBrowser.encoded(form),
            "Content-Type",
            "application/x-www-form-urlencoded");
    return new JsonObject(answer.body()).getString("access_token");
  }
}
