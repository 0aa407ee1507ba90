package dev.mcpbus.security.signin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.SignInOptions;
import dev.mcpbus.security.SignInOptions.OpenIdProvider;
import dev.mcpbus.testing.LoginBrowser;
import dev.mcpbus.testing.LoginProvider;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A whole mcpbus with a sign-in, as a client finds it: from the 401 to a call, and to the end. */
@ExtendWith(VertxExtension.class)
class SignInServiceTest {

  @Test
  void a_client_follows_the_401_logs_in_and_calls_until_it_revokes(Vertx vertx) {
    try (LoginProvider provider = new LoginProvider(vertx);
        TestBus bus =
            TestBus.startWithAuth(
                new JsonObject(),
                BridgeOptions.DEFAULT.withPort(0),
                GatewayOptions.DEFAULT,
                RecordCopy.with(
                    AuthOptions.NONE,
                    "signIn",
                    SignInOptions.of(
                        null,
                        new OpenIdProvider(
                            provider.url(),
                            LoginProvider.CLIENT,
                            Sensitive.of(LoginProvider.SECRET),
                            List.of()))))) {
      String base = "http://127.0.0.1:" + bus.bus().port();
      LoginBrowser browser = new LoginBrowser();
      HttpResponse<String> refused = browser.get(base + "/mcp");
      assertThat(refused.statusCode()).isEqualTo(401);
      String metadata = base + "/.well-known/oauth-protected-resource/mcp";
      assertThat(refused.headers().firstValue("WWW-Authenticate").orElse("")).contains(metadata);
      JsonObject resource = new JsonObject(browser.get(metadata).body());
      assertThat(resource.getJsonArray("authorization_servers")).containsExactly(base);
      assertThat(resource.getString("resource")).isEqualTo(base + "/mcp");

      SignInProgram program = new SignInProgram(browser).leadsTo(base);
      String client = program.client();
      JsonObject tokens = program.tokens(client);
      String[] bearer = {"Authorization", "Bearer " + tokens.getString("access_token")};
      // Through the guard of tokens, to a method that the gateway does not take.
      assertThat(browser.get(base + "/mcp", bearer).statusCode()).isNotEqualTo(401);
      assertThat(browser.get(base + "/api/servers", bearer).statusCode()).isEqualTo(401);
      program.revoke(client, tokens.getString("refresh_token"));
      assertThat(browser.get(base + "/mcp", bearer).statusCode()).isEqualTo(401);
    }
  }
}
