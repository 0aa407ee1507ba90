package dev.mcpbus.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.testing.RawHttpServer;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.net.URI;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names that are looked up in an MCP registry. */
@ExtendWith(VertxExtension.class)
class RegistryLookupTest {

  private static final String WEATHER =
      "{\"server\":{\"name\":\"io.github.ada/weather\",\"packages\":[]}}";

  private static RawHttpServer registry(String status, String body) {
    return RawHttpServer.answering(
        (request, peer) -> peer.reply(status, body, "Content-Type: application/json"));
  }

  private static URI base(RawHttpServer registry) {
    return URI.create("http://127.0.0.1:" + registry.port());
  }

  private static String find(Vertx vertx, @Nullable URI base, String name) throws Exception {
    return new RegistryLookup(vertx, base)
        .find(name)
        .toCompletionStage()
        .toCompletableFuture()
        .get(60, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "io.github.ada/weather",
        " com.example/a_b.c-d@1.0.0+build \n",
        "a.b.c.d/x@latest"
      })
  void a_name_alone_is_one(String text) {
    assertThat(RegistryLookup.isName(text)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "weather",
        "ada/weather",
        "@ada/weather",
        "https://example.com/mcp",
        "example.com/mcp/more",
        "example.com/mcp?x",
        "npx -y io.github.ada/weather",
        "../etc.d/x/..",
        "io.github.ada/wea\u200bther"
      })
  void other_texts_are_none(String text) {
    assertThat(RegistryLookup.isName(text)).isFalse();
  }

  @Test
  void the_latest_version_is_asked_for_or_the_one_that_is_named(Vertx vertx) throws Exception {
    try (RawHttpServer registry = registry("200 OK", WEATHER)) {
      assertThat(new JsonObject(find(vertx, base(registry), "io.github.ada/weather")))
          .isEqualTo(new JsonObject(WEATHER));
      find(vertx, URI.create(base(registry) + "/"), "io.github.ada/weather@1.0.0+a");

      assertThat(registry.requests())
          .extracting(RawHttpServer.Request::path)
          .containsExactly(
              "/v0.1/servers/io.github.ada%2Fweather/versions/latest",
              "/v0.1/servers/io.github.ada%2Fweather/versions/1.0.0%2Ba");
    }
  }

  @Test
  void what_the_registry_does_not_have_is_said_with_its_name(Vertx vertx) {
    try (RawHttpServer registry = registry("404 Not Found", "{}")) {
      refused(
          vertx, base(registry), FailureCode.BAD_REQUEST, "has no server io.github.ada/weather");
    }
  }

  @Test
  void a_registry_that_fails_or_is_gone_is_named(Vertx vertx) {
    RawHttpServer registry = registry("503 Service Unavailable", "{}");
    refused(vertx, base(registry), FailureCode.UNAVAILABLE, "127.0.0.1: HTTP 503");
    registry.close();
    refused(vertx, base(registry), FailureCode.UNAVAILABLE, "the registry at 127.0.0.1: ");
  }

  @Test
  void a_registry_leads_nowhere_else(Vertx vertx) {
    try (RawHttpServer elsewhere = registry("200 OK", WEATHER);
        RawHttpServer registry =
            RawHttpServer.answering(
                (request, peer) -> peer.reply("302 Found", "", "Location: " + elsewhere.url()))) {
      refused(vertx, base(registry), FailureCode.UNAVAILABLE, "HTTP 302");
      assertThat(elsewhere.requests()).isEmpty();
    }
  }

  @Test
  void without_a_registry_the_remedy_is_named(Vertx vertx) {
    refused(vertx, null, FailureCode.BAD_REQUEST, "\"catalog\": {\"registry\"");
  }

  private static void refused(Vertx vertx, @Nullable URI base, FailureCode code, String words) {
    assertThatThrownBy(() -> find(vertx, base, "io.github.ada/weather"))
        .hasMessageContaining(words)
        .cause()
        .asInstanceOf(InstanceOfAssertFactories.type(McpFailure.class))
        .extracting(McpFailure::code)
        .isEqualTo(code);
  }
}
