package dev.mcpbus.hosting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.BusTests;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerSettings;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(VertxExtension.class)
class KeptServersTest {

  private static final Map<String, String> KEY =
      Map.of(StateFile.KEY_VARIABLE, Base64.getEncoder().encodeToString(new byte[32]));

  private static final JsonObject SECRET =
      new JsonObject()
          .put("url", "http://127.0.0.1:1/mcp")
          .put("headers", new JsonObject().put("Authorization", "Bearer canary-0123456789"));

  @TempDir private Path folder;
  private Vertx vertx;
  private KeptServers kept;

  @BeforeEach
  void start(Vertx given) {
    vertx = given;
    open(Map.of());
  }

  @AfterEach
  void end() {
    BusTests.await(kept.close());
  }

  private void open(Map<String, String> variables) {
    kept = new KeptServers(vertx, StateFile.in(folder, variables), InstantSource.system());
    BusTests.await(kept.open());
  }

  private void again(Map<String, String> variables) {
    end();
    open(variables);
  }

  private static ServerDefinition read(String name, JsonObject entry) {
    return ServerEntryReader.in(
            Path.of("."),
            ConfigEnvironment.system().withVariables(Map.of("TOKEN", "canary-0123456789")),
            ServerSettings.DEFAULT)
        .read(name, entry);
  }

  private static ServerDefinition plain(String name) {
    return read(name, new JsonObject().put("url", "http://127.0.0.1:1/mcp"));
  }

  @Test
  void each_change_is_on_the_disk_when_its_future_succeeds() {
    ServerDefinition one = plain("one");
    BusTests.await(kept.added(one, 5));
    assertThat(kept.whyNotLasting(one.id(), one)).isNull();
    BusTests.await(kept.removed(new ConnectionId("two"), KeptServer.removed(6, "sha256-2")));
    again(Map.of());
    assertThat(Objects.requireNonNull(kept.get(one.id())).origin()).isEqualTo(one.origin());
    assertThat(kept.get(new ConnectionId("two"))).isEqualTo(KeptServer.removed(6, "sha256-2"));
    assertThat(kept.next(one.id())).isGreaterThan(5);
    BusTests.await(kept.forget(one.id()));
    again(Map.of());
    assertThat(kept.all()).containsOnlyKeys(new ConnectionId("two"));
  }

  @Test
  void a_secret_in_an_entry_is_kept_with_a_key_alone_and_the_name_of_a_variable_always()
      throws Exception {
    ServerDefinition secret = read("secret", SECRET);
    BusTests.await(kept.added(secret, 1));
    assertThat(kept.whyNotLasting(secret.id(), secret))
        .contains("looks like a secret", "MCPBUS_TOKEN_KEY", "${NAME}");
    assertThat(kept.all()).isEmpty();

    JsonObject named = SECRET.copy();
    named.getJsonObject("headers").put("Authorization", "Bearer ${TOKEN}");
    ServerDefinition variable = read("variable", named);
    BusTests.await(kept.added(variable, 1));
    assertThat(kept.whyNotLasting(variable.id(), variable)).isNull();
    assertThat(Files.readString(folder.resolve("servers.json")))
        .contains("${TOKEN}")
        .doesNotContain("canary");

    again(KEY);
    BusTests.await(kept.added(secret, 1));
    assertThat(kept.whyNotLasting(secret.id(), secret)).isNull();
    again(KEY);
    assertThat(kept.all()).containsOnlyKeys(secret.id(), variable.id());
  }

  @Test
  void a_change_that_cannot_be_written_says_so_and_is_written_with_the_next() throws Exception {
    Path obstacle = Files.createDirectories(folder.resolve("servers.json.next").resolve("full"));
    ServerDefinition one = plain("one");
    BusTests.await(kept.added(one, 1));
    assertThat(kept.whyNotLasting(one.id(), one))
        .contains("could not be written to", "servers.json");
    Files.delete(obstacle);
    ServerDefinition two = plain("two");
    BusTests.await(kept.added(two, 1));
    assertThat(kept.whyNotLasting(one.id(), one)).isNull();
    again(Map.of());
    assertThat(kept.all()).containsOnlyKeys(one.id(), two.id());
  }

  @Test
  void without_a_directory_it_says_which_setting_is_missing() {
    KeptServers none = new KeptServers(vertx, null, InstantSource.system());
    ServerDefinition one = plain("one");
    BusTests.await(none.added(one, 1));
    assertThat(none.whyNotLasting(one.id(), one)).contains("\"state\": {\"dir\"");
  }

  @Test
  void many_changes_on_a_full_disk_wait_for_one_timer() throws Exception {
    Files.createDirectories(folder.resolve("servers.json.next").resolve("full"));
    AtomicInteger timers = new AtomicInteger();
    Vertx counted =
        (Vertx)
            Proxy.newProxyInstance(
                Vertx.class.getClassLoader(),
                new Class<?>[] {Vertx.class},
                (proxy, method, arguments) -> {
                  timers.addAndGet(method.getName().equals("setTimer") ? 1 : 0);
                  return method.invoke(vertx, arguments);
                });
    KeptServers full =
        new KeptServers(counted, StateFile.in(folder, Map.of()), InstantSource.system());
    for (int i = 1; i <= 5; i++) {
      BusTests.await(full.added(plain("one"), i));
    }
    assertThat(full.isFailing()).isTrue();
    assertThat(timers).hasValue(1);
  }
}
