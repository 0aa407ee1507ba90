package dev.mcpbus.security.oauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EncryptedFileTokenStoreTest {

  private static final String KEY = Base64.getEncoder().encodeToString(new byte[32]);

  @TempDir Path folder;
  private Vertx vertx;

  @BeforeEach
  void start() {
    vertx = Vertx.vertx();
  }

  @AfterEach
  void stop() {
    vertx.close().await();
  }

  private Path file() {
    return folder.resolve("inner/tokens");
  }

  private TokenStore store(String key) {
    return TokenStoreProvider.FILE.open(
        vertx,
        Map.of(
            TokenStoreProvider.FILE_VARIABLE,
            file().toString(),
            TokenStoreProvider.KEY_VARIABLE,
            key));
  }

  @Test
  void what_is_saved_is_there_for_the_next_process_and_unreadable_for_others() throws Exception {
    assertThat(store(KEY).load("a").await()).isNull();
    store(KEY).save("a", new JsonObject().put("access", "canary-token")).await();
    store(KEY).save("b", new JsonObject().put("x", 1)).await();
    assertThat(store(KEY).load("a").await())
        .isEqualTo(new JsonObject().put("access", "canary-token"));
    assertThat(Files.readString(file(), StandardCharsets.ISO_8859_1)).doesNotContain("canary");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file())))
        .isEqualTo("rw-------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file().getParent())))
        .isEqualTo("rwx------");
    try (var files = Files.list(file().getParent())) {
      assertThat(files.map(Path::getFileName)).hasSize(2);
    }
  }

  @Test
  void many_writers_lose_nothing() {
    List<Future<Void>> writing = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      writing.add(store(KEY).save("k" + i, new JsonObject().put("n", i)));
    }
    Future.all(writing).await();
    for (int i = 0; i < 40; i++) {
      assertThat(store(KEY).load("k" + i).await()).isEqualTo(new JsonObject().put("n", i));
    }
  }

  @Test
  void another_key_or_a_changed_byte_is_an_error_and_overwrites_nothing() throws Exception {
    store(KEY).save("a", new JsonObject().put("x", 1)).await();
    byte[] before = Files.readAllBytes(file());
    byte[] other = new byte[32];
    other[0] = 1;
    TokenStore wrong = store(Base64.getEncoder().encodeToString(other));
    assertThatThrownBy(() -> wrong.load("a").await()).hasMessageContaining("another key");
    assertThatThrownBy(() -> wrong.save("a", new JsonObject()).await())
        .hasMessageContaining("another key");
    assertThat(Files.readAllBytes(file())).isEqualTo(before);
    before[before.length - 1] ^= 1;
    Files.write(file(), before);
    assertThatThrownBy(() -> store(KEY).load("a").await())
        .hasMessageContaining("remove it")
        .hasMessageContaining("MCPBUS_TOKEN_KEY");
  }

  @Test
  void a_key_that_is_none_is_refused_without_being_shown() {
    for (String key : List.of("short", "!".repeat(44), KEY + KEY)) {
      assertThatThrownBy(() -> store(key))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("32 bytes")
          .hasMessageNotContaining("!!!");
    }
  }
}
