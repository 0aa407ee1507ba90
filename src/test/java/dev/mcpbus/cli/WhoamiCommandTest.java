package dev.mcpbus.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.TestOptions;
import dev.mcpbus.bridge.options.BridgeOptions;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.security.ApiKeys;
import dev.mcpbus.security.AuthOptions;
import dev.mcpbus.security.AuthOptions.ApiKey;
import dev.mcpbus.security.AuthOptions.Issuer;
import dev.mcpbus.security.ClaimMapping;
import dev.mcpbus.security.ClaimMapping.ClaimRule;
import dev.mcpbus.testing.TestBus;
import dev.mcpbus.testing.TokenIssuer;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(VertxExtension.class)
class WhoamiCommandTest {

  @TempDir Path folder;

  @Test
  void it_shows_name_issuer_roles_and_what_gave_them(Vertx vertx) throws IOException {
    ApiKeys.Fresh key = ApiKeys.generate(new SecureRandom());
    try (TokenIssuer issuer = new TokenIssuer(vertx)) {
      issuer.add("one");
      Issuer work =
          RecordCopy.with(
              Issuer.of("work", issuer.url(), Set.of("mcpbus")),
              "claims",
              new ClaimMapping(
                  "email",
                  List.of("realm_access.roles"),
                  List.of(new ClaimRule("groups", "mcp-admins", "ops", true))));
      AuthOptions auth =
          RecordCopy.with(
              TestOptions.ofKeys(
                  List.of(new ApiKey("ci", key.hash(), Set.of("build"), false, null, null))),
              "issuers",
              List.of(work));
      try (TestBus bus =
          TestBus.startWithAuth(
              new JsonObject(), BridgeOptions.DEFAULT.withPort(0), GatewayOptions.DEFAULT, auth)) {
        JsonObject claims =
            issuer
                .claims("u1", "mcp")
                .put("email", "ann@example.com")
                .put("email_verified", true)
                .put("groups", new JsonArray().add("mcp-admins"))
                .put("realm_access", new JsonObject().put("roles", new JsonArray().add("dev")));
        String token = issuer.token("one", claims);

        String ann = run(bus, token).out();
        assertThat(ann)
            .contains("work:ann@example.com, with the admin right", "issuer  work")
            .containsPattern("mcp +scope")
            .containsPattern("dev +claims.roles: realm_access.roles")
            .containsPattern("ops \\(admin\\) +roles: groups has mcp-admins");
        JsonObject json = new JsonObject(run(bus, token, "--json").out());
        assertThat(json.getJsonArray("roles")).containsExactly("dev", "mcp", "ops");
        assertThat(json.getBoolean("admin")).isTrue();
        assertThat(json.getString("issuer")).isEqualTo("work");

        assertThat(run(bus, key.key()).out())
            .contains("ci", "role    build")
            .doesNotContain("admin", "issuer");
        CommandRun unverified =
            run(bus, issuer.token("one", claims.copy().put("email_verified", false)));
        assertThat(unverified.code()).isNotZero();
        assertThat(unverified.err()).contains("email_verified");
      }
    }
  }

  private CommandRun run(TestBus bus, String credential, String... more) throws IOException {
    Path file = Files.writeString(folder.resolve("key"), credential);
    List<String> all =
        new ArrayList<>(
            List.of(
                "whoami",
                "--url",
                "http://127.0.0.1:" + bus.port(),
                "--key-file",
                file.toString()));
    all.addAll(List.of(more));
    return new CommandRun(all.toArray(String[]::new));
  }
}
