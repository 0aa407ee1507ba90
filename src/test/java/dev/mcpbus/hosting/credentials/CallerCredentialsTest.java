package dev.mcpbus.hosting.credentials;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.hosting.credentials.CallerCredentials.CredentialKind;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.oauth.OwnTokenStore;
import dev.mcpbus.security.oauth.TokenStore;
import dev.mcpbus.security.oauth.TokenStoreProvider;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CallerCredentialsTest {

  private static final ConnectionId GIT = new ConnectionId("git");
  private static final ConnectionId DOCS = new ConnectionId("docs");
  private static final Instant NOW = Instant.parse("2026-12-01T10:00:00Z");

  @TempDir Path folder;
  private final List<Vertx> processes = new ArrayList<>();

  @AfterEach
  void stop() {
    Future.all(processes.stream().map(Vertx::close).toList()).await();
  }

  private Map<String, String> variables() {
    return Map.of(TokenStoreProvider.FILE_VARIABLE, folder.resolve("tokens").toString());
  }

  /** As a process of its own, with the same file. */
  private CallerCredentials process() {
    Vertx vertx = Vertx.vertx();
    processes.add(vertx);
    return new CallerCredentials(vertx, () -> OwnTokenStore.of(vertx, variables()), () -> NOW);
  }

  private static String secret(CallerCredentials of, String principal, ConnectionId server) {
    Sensitive found = of.secret(principal, server).await();
    return found == null ? "none" : found.reveal();
  }

  private static void set(CallerCredentials to, String principal, ConnectionId id, String text) {
    to.set(principal, id, Sensitive.of(text)).await();
  }

  @Test
  void a_secret_is_there_after_a_restart_for_its_principal_and_its_server_alone()
      throws IOException {
    CallerCredentials first = process();
    set(first, "alice", GIT, "canary-alice");
    set(first, "bob", GIT, "canary-bob");
    CallerCredentials next = process();
    assertThat(secret(next, "alice", GIT)).isEqualTo("canary-alice");
    assertThat(secret(next, "bob", GIT)).isEqualTo("canary-bob");
    assertThat(secret(next, "alice", DOCS)).isEqualTo("none");
    assertThat(secret(next, "carol", GIT)).isEqualTo("none");
    assertThat(next.list("alice").await())
        .isEqualTo(
            new JsonArray()
                .add(
                    new JsonObject()
                        .put("server", "git")
                        .put("kind", "secret")
                        .put("since", NOW.toString())));
    assertThat(next.list("carol").await()).isEmpty();
    assertThat(Files.readString(folder.resolve("tokens"), StandardCharsets.ISO_8859_1))
        .doesNotContain("canary");
  }

  @Test
  void no_name_of_a_principal_reaches_what_is_another_s() {
    CallerCredentials all = process();
    List<String> names =
        List.of(
            "a",
            "a ",
            "a secret git",
            "a\n",
            "a\nsecret git",
            "a%0020",
            "a+",
            "A",
            "",
            "principal a",
            "ä",
            "\ud800",
            "?",
            "a/b",
            "jwt:a");
    for (String name : names) {
      set(all, name, GIT, "of " + name);
    }
    for (String name : names) {
      assertThat(secret(all, name, GIT)).isEqualTo("of " + name);
      assertThat(all.list(name).await()).hasSize(1);
    }
    for (int i = 0; i < names.size(); i++) {
      assertThat(all.removeAll(names.get(i)).await()).as(names.get(i)).isEqualTo(1);
      for (String left : names.subList(i + 1, names.size())) {
        assertThat(secret(all, left, GIT)).isEqualTo("of " + left);
      }
    }
  }

  @Test
  void two_processes_that_write_one_file_lose_nothing() {
    CallerCredentials one = process();
    CallerCredentials two = process();
    List<Future<?>> writing = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      ConnectionId server = new ConnectionId("s" + i);
      writing.add(one.set("alice", server, Sensitive.of("alice " + i)));
      writing.add(two.set("bob", server, Sensitive.of("bob " + i)));
    }
    Future.all(writing).await();
    for (int i = 0; i < 20; i++) {
      ConnectionId server = new ConnectionId("s" + i);
      assertThat(secret(two, "alice", server)).isEqualTo("alice " + i);
      assertThat(secret(one, "bob", server)).isEqualTo("bob " + i);
    }
  }

  @Test
  void length_and_number_are_bounded_and_a_secret_can_be_replaced_at_the_bound() {
    CallerCredentials all = inMemory();
    int most = CallerCredentials.MAX_SECRET;
    set(all, "alice", GIT, "x".repeat(most));
    assertThatThrownBy(() -> set(all, "alice", GIT, "x".repeat(most + 1)))
        .isInstanceOf(McpFailure.class)
        .hasMessage("the secret has more than 16384 characters");
    assertThatThrownBy(() -> set(all, "alice", GIT, "")).hasMessageContaining("must not be empty");
    for (int i = 1; i < CallerCredentials.MAX_SECRETS; i++) {
      set(all, "alice", new ConnectionId("s" + i), "x");
    }
    assertThatThrownBy(() -> set(all, "alice", DOCS, "x"))
        .hasMessageContaining("1000 secrets already");
    set(all, "alice", GIT, "new");
    set(all, "bob", DOCS, "x");
    assertThat(secret(all, "alice", GIT)).isEqualTo("new");
  }

  @Test
  void removing_takes_tokens_of_logins_at_the_server_too_and_those_of_no_other() {
    Vertx vertx = Vertx.vertx();
    processes.add(vertx);
    TokenStore store = TokenStore.inMemory();
    CallerCredentials all = new CallerCredentials(vertx, () -> store, () -> NOW);
    set(all, "alice", GIT, "x");
    JsonObject tokens = new JsonObject().put("tokens", new JsonObject());
    for (String server : List.of("git", "git-2")) {
      String key =
          CallerCredentials.key("alice", CredentialKind.TOKENS, new ConnectionId(server)) + " 0f";
      store.save(key, tokens).await();
    }
    assertThat(kinds(all)).containsExactly("secret git", "tokens git", "tokens git-2");
    assertThat(all.remove("alice", GIT).await()).isTrue();
    assertThat(kinds(all)).containsExactly("tokens git-2");
    assertThat(all.remove("alice", GIT).await()).isFalse();
  }

  private static List<String> kinds(CallerCredentials of) {
    return of.list("alice").await().stream()
        .map(JsonObject.class::cast)
        .map(one -> one.getString("kind") + " " + one.getString("server"))
        .toList();
  }

  @Test
  void every_change_is_told() {
    CallerCredentials all = inMemory();
    List<String> heard = CredentialChanges.heard(processes.get(0));
    set(all, "alice", GIT, "x");
    await().until(() -> heard.equals(List.of("alice git")));
    all.remove("alice", GIT).await();
    await().until(() -> heard.equals(List.of("alice git", "alice git")));
    all.removeAll("alice").await();
    await().until(() -> heard.equals(List.of("alice git", "alice git", "alice null")));
  }

  private CallerCredentials inMemory() {
    Vertx vertx = Vertx.vertx();
    processes.add(vertx);
    TokenStore store = TokenStore.inMemory();
    return new CallerCredentials(vertx, () -> store, () -> NOW);
  }

  @Test
  void who_stores_nothing_has_neither_a_key_nor_a_file() {
    Vertx vertx = Vertx.vertx();
    processes.add(vertx);
    CallerCredentials.of(vertx, variables());
    assertThat(folder).isEmptyDirectory();
  }
}
