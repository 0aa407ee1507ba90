package dev.mcpbus.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.gateway.request.SessionHostNames;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Principal;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two clients with one key would share their sessions at servers. */
@ExtendWith(VertxExtension.class)
class ClientHostsTest {

  private static final String INFO = "io.modelcontextprotocol/clientInfo";
  private static final String CLIENT = "dev.mcpbus/client";

  @SuppressWarnings("NullAway.Init") // by open
  private ClientHosts hosts;

  @BeforeEach
  void open(Vertx vertx) {
    hosts = new ClientHosts(new SessionHostNames(vertx, 1));
  }

  private String key(String principal, @Nullable Object info, @Nullable Object client) {
    JsonObject meta = new JsonObject();
    if (info != null) {
      meta.put(INFO, info);
    }
    if (client != null) {
      meta.put(CLIENT, client);
    }
    return hosts.key(new Principal(principal), RawJson.of(meta));
  }

  /** Subjects of tokens, and the names of clients, may have any character. */
  @Test
  void parts_of_one_client_never_make_the_key_of_another() {
    String info = "{\"name\":\"a\"}";
    List<String> keys = new ArrayList<>();
    keys.add(key("ada", new JsonObject(info), "\u0000x"));
    keys.add(key("ada\u0000" + info, null, "x"));
    keys.add(key("ada\u0000" + info + "\u0000", null, "x"));
    keys.add(key("ada", new JsonObject(info), "x"));
    keys.add(key("ada", new JsonObject(info), "\u0000\u0000x"));
    keys.add(key("ada", info, "x"));
    keys.add(key("ada", null, "x"));
    keys.add(key("ada", null, null));
    keys.add(key("ada", "null", null));
    keys.add(key("ad", "a", null));
    keys.add(key("ada", null, "null"));
    keys.add(key("", "ada", null));
    keys.add(key("ada", 1, null));
    keys.add(key("ada", new JsonArray().add(1), null));
    keys.add(key("ad\u0430", null, null)); // looks like "ada"
    assertThat(new HashSet<>(keys)).hasSameSizeAs(keys);
    assertThat(key("ada", info, "x")).isEqualTo(keys.get(5));
  }

  @Test
  void a_name_that_is_no_text_is_refused() {
    for (Object name :
        List.of(1, true, new JsonObject(), new JsonArray().add("x"), "", "x".repeat(1 << 20))) {
      assertThatThrownBy(() -> key("ada", null, name))
          .hasMessageContaining(CLIENT)
          .hasMessageContaining("200");
    }
    assertThat(key("ada", null, "x")).isNotEqualTo(key("ada", null, "y"));
  }

  @Test
  void what_a_host_keeps_of_a_client_has_a_bound() {
    assertThatThrownBy(() -> key("ada", new JsonObject().put("name", "x".repeat(65_536)), null))
        .hasMessageContaining(INFO)
        .hasMessageContaining("65536");
  }
}
