package dev.mcpbus;

import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.bridge.options.BridgeTlsOptions;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.AuthOptions.ApiKey;
import dev.mcpbus.security.SignInOptions;
import dev.mcpbus.security.SignInOptions.OpenIdProvider;
import dev.mcpbus.testing.CallerServer;
import dev.mcpbus.testing.Certificates;
import dev.mcpbus.testing.Chromium;
import dev.mcpbus.testing.FreePorts;
import dev.mcpbus.testing.IdentityProvider;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The pages of the sign-in, and of a login at a server of callers, in Chromium over TLS, with the
 * pages of a real provider in between: {@code src/test/npm/sign-in-walk.mjs} has what is done and
 * looked at. Screenshots are in {@code target/sign-in}.
 */
@SuppressWarnings("NullAway.Init")
class SignInPagesIT {

  private static final ApiKeys.Fresh ALICE = ApiKeys.generate(new SecureRandom());

  @TempDir private static Path folder;

  private static IdentityProvider provider;
  private static CallerServer server;
  private static TestBus bus;
  private static String base;
  private static Path certificate;

  @BeforeAll
  static void start() {
    Chromium.place();
    int port = FreePorts.one();
    base = "https://localhost:" + port;
    provider =
        new IdentityProvider(
            new JsonObject()
                .put(
                    "clients",
                    new JsonArray()
                        .add(client("for people", "/oauth/callback"))
                        .add(client("for notes", "/login/callback"))));
    server = CallerServer.ofTokens("both", provider);
    Certificates certificates = new Certificates(folder).selfSigned("front", "dns:localhost");
    certificate = certificates.certificate("front", "front.crt");
    BridgeOptions bridge =
        RecordCopy.with(
            BridgeOptions.DEFAULT.withPort(port),
            Map.of(
                "url",
                base,
                "tls",
                new BridgeTlsOptions(certificate, certificates.key("front", "front.key"))));
    SignInOptions signIn =
        SignInOptions.of(
            URI.create(base),
            new OpenIdProvider(
                provider.issuer(),
                "for people",
                Sensitive.of(IdentityProvider.SECRET),
                List.of("email")));
    JsonObject entry =
        new JsonObject()
            .put("url", server.url().toString())
            .put("identity", "caller")
            .put(
                "oauth",
                new JsonObject()
                    .put("clientId", "for notes")
                    .put("clientSecret", IdentityProvider.SECRET)
                    .put("scopes", new JsonArray().add("notes")));
    bus =
        TestBus.startWithAuth(
            TestBus.server("notes", entry),
            bridge,
            GatewayOptions.DEFAULT,
            RecordCopy.with(
                TestOptions.ofKeys(
                    List.of(new ApiKey("alice", ALICE.hash(), Set.of(), false, null, null))),
                "signIn",
                signIn));
  }

  /** As mcpbus is registered at the provider. */
  private static JsonObject client(String id, String callback) {
    return new JsonObject()
        .put("client_id", id)
        .put("client_secret", IdentityProvider.SECRET)
        .put("redirect_uris", new JsonArray().add(base + callback))
        .put("grant_types", new JsonArray().add("authorization_code").add("refresh_token"));
  }

  @AfterAll
  static void close() {
    if (bus != null) {
      bus.close();
      server.close();
      provider.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"light", "dark", "narrow"})
  void a_person_logs_in_with_the_keyboard_alone_and_without_scripts(String look) throws Exception {
    JsonObject given =
        new JsonObject()
            .put("base", base)
            .put("provider", provider.issuer())
            .put("key", ALICE.key())
            .put("shots", Path.of("target", "sign-in").toAbsolutePath().toString());
    Chromium.walk(
        "sign-in-walk.mjs",
        look,
        given,
        folder,
        Map.of("NODE_EXTRA_CA_CERTS", certificate.toString()));
  }
}
