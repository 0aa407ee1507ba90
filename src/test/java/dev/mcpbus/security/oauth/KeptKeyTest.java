package dev.mcpbus.security.oauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.mcpbus.bus.ClusterSecret;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class KeptKeyTest {

  private static final JsonObject STATE = new JsonObject().put("access", "canary-token");
  private static final String SECRET = "a secret of a cluster, 32 characters and more";

  @TempDir Path folder;
  private Vertx vertx;
  private final List<Vertx> more = new ArrayList<>();

  @BeforeEach
  void start() {
    vertx = another();
  }

  @AfterEach
  void stop() {
    Future.all(more.stream().map(Vertx::close).toList()).await();
  }

  /** As a process that starts anew. */
  private Vertx another() {
    Vertx made = Vertx.vertx();
    more.add(made);
    return made;
  }

  private Path tokens() {
    return folder.resolve("inner/tokens");
  }

  private Path key() {
    return folder.resolve("inner/tokens.key");
  }

  private Map<String, String> variables() {
    return Map.of(TokenStoreProvider.FILE_VARIABLE, tokens().toString());
  }

  private byte[] derived(Vertx of, String purpose) {
    return KeptKey.of(of, variables()).await().derived(purpose);
  }

  private static String rights(Path of) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(of));
  }

  @Test
  void tokens_are_there_after_a_restart_under_a_key_that_mcpbus_makes_and_keeps() throws Exception {
    OwnTokenStore.of(vertx, variables()).save("a", STATE).await();
    assertThat(OwnTokenStore.of(another(), variables()).load("a").await()).isEqualTo(STATE);
    assertThat(rights(key())).isEqualTo("rw-------");
    assertThat(rights(folder.resolve("inner"))).isEqualTo("rwx------");
    assertThat(Base64.getDecoder().decode(Files.readString(key()).strip())).hasSize(32);
    String moved = Files.readString(key());
    Map<String, String> given =
        Map.of(
            TokenStoreProvider.FILE_VARIABLE,
            tokens().toString(),
            TokenStoreProvider.KEY_VARIABLE,
            moved);
    Files.delete(key());
    assertThat(OwnTokenStore.of(another(), given).load("a").await()).isEqualTo(STATE);
    assertThat(key()).doesNotExist();
  }

  @Test
  void each_purpose_has_a_key_of_its_own_which_a_restart_does_not_change() {
    byte[] one = derived(vertx, "sign-in");
    assertThat(one).hasSize(32).isEqualTo(derived(another(), "sign-in"));
    assertThat(one).isNotEqualTo(derived(vertx, "consent"));
    assertThat(KeptKey.of(vertx, variables()).await().toString()).isEqualTo("***");
  }

  @Test
  void the_nodes_of_a_cluster_make_the_same_key_of_its_secret_and_no_file() {
    Vertx other = another();
    ClusterSecret.of(SECRET).register(vertx);
    ClusterSecret.of(SECRET).register(other);
    assertThat(derived(vertx, "sign-in")).isEqualTo(derived(other, "sign-in"));
    Vertx foreign = another();
    ClusterSecret.of(SECRET + "!").register(foreign);
    assertThat(derived(foreign, "sign-in")).isNotEqualTo(derived(other, "sign-in"));
    assertThat(key()).doesNotExist();
  }

  @Test
  void many_that_make_the_key_at_once_use_one() {
    List<Future<KeptKey>> reading = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      reading.add(KeptKey.of(vertx, variables()));
    }
    Future.all(reading).await();
    assertThat(new HashSet<>(reading.stream().map(Future::result).toList())).hasSize(1);
  }

  @Test
  void a_key_that_others_can_read_is_refused_until_it_is_mended() throws Exception {
    TokenStore store = OwnTokenStore.of(vertx, variables());
    store.save("a", STATE).await();
    Files.setPosixFilePermissions(key(), PosixFilePermissions.fromString("rw-r--r--"));
    TokenStore next = OwnTokenStore.of(another(), variables());
    assertThatThrownBy(() -> next.load("a").await()).hasMessageContaining("chmod 600 " + key());
    Files.setPosixFilePermissions(key(), PosixFilePermissions.fromString("rw-------"));
    assertThat(next.load("a").await()).isEqualTo(STATE);
  }

  @Test
  void a_file_without_a_key_is_an_error_that_shows_nothing_of_it() throws Exception {
    Files.createDirectories(key().getParent());
    Files.writeString(key(), "canary");
    Files.setPosixFilePermissions(key(), PosixFilePermissions.fromString("rw-------"));
    assertThatThrownBy(() -> KeptKey.of(vertx, variables()).await())
        .hasMessageContaining("has no key; restore it")
        .hasMessageNotContaining("canary");
  }

  @Test
  void tokens_that_were_sealed_with_another_key_are_an_error_with_the_remedy() throws Exception {
    OwnTokenStore.of(vertx, variables()).save("a", STATE).await();
    Files.delete(key());
    TokenStore next = OwnTokenStore.of(another(), variables());
    assertThatThrownBy(() -> next.load("a").await())
        .hasMessageContaining(tokens() + " was sealed with another key than that of " + key())
        .hasMessageContaining("set MCPBUS_TOKEN_KEY to its key, or remove it to log in anew");
  }

  @Test
  void where_no_key_can_be_kept_one_warning_says_so_and_tokens_are_in_memory() throws Exception {
    Files.writeString(folder.resolve("inner"), "a file where the folder would be");
    Logger log = (Logger) LoggerFactory.getLogger(OwnTokenStore.class);
    ListAppender<ILoggingEvent> told = new ListAppender<>();
    told.start();
    log.addAppender(told);
    try {
      TokenStore store = OwnTokenStore.of(vertx, variables());
      store.save("a", STATE).await();
      assertThat(store.load("a").await()).isEqualTo(STATE);
      assertThat(told.list).hasSize(1);
      assertThat(told.list.get(0).getFormattedMessage())
          .contains("in memory only", key().toString(), "MCPBUS_TOKEN_FILE");
    } finally {
      log.detachAppender(told);
    }
  }
}
