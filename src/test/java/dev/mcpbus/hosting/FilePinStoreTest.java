package dev.mcpbus.hosting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.BusTests;
import dev.mcpbus.bus.ConnectionId;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(VertxExtension.class)
class FilePinStoreTest {

  private static final ConnectionId GIT = new ConnectionId("git");
  private static final ConnectionId DOCS = new ConnectionId("docs");

  @TempDir Path directory;
  private Path file;
  private FilePinStore store;
  private Vertx vertx;

  @BeforeEach
  void open(Vertx given) {
    vertx = given;
    file = directory.resolve("state").resolve("pins.json");
    store = FilePinStore.of(vertx, file);
  }

  private static JsonObject pins(String hash) {
    return new JsonObject().put("a", new JsonObject().put("hash", hash));
  }

  @Test
  void what_is_saved_is_loaded_by_the_next_process_per_server() throws IOException {
    assertThat(BusTests.await(store.load(GIT))).isEmpty();
    assertThat(file).doesNotExist();
    BusTests.await(store.save(GIT, pins("1")));
    BusTests.await(store.save(DOCS, pins("2")));
    BusTests.await(store.save(GIT, pins("3")));
    FilePinStore next = FilePinStore.ofVariables(vertx, Map.of("MCPBUS_PIN_FILE", file.toString()));
    assertThat(BusTests.await(next.load(GIT))).isEqualTo(pins("3"));
    assertThat(BusTests.await(next.load(DOCS))).isEqualTo(pins("2"));
    try (Stream<Path> left = Files.list(file.getParent())) {
      assertThat(left.map(path -> path.getFileName().toString()))
          .containsExactlyInAnyOrder("pins.json", "pins.json.lock");
    }
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "[]",
        "{}",
        "{\"version\":2,\"servers\":{}}",
        "{\"version\":1,\"servers\":{\"git\":7}}"
      })
  void a_broken_file_is_an_error_and_stays_as_it_is(String content) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
    Future<JsonObject> load = store.load(GIT);
    Future<Void> save = store.save(DOCS, pins("1"));
    Awaitility.await().until(() -> load.isComplete() && save.isComplete());
    assertThat(load.cause()).hasMessageContaining("no pin file").hasMessageContaining("repair it");
    assertThat(save.cause()).hasMessageContaining("no pin file");
    assertThat(file).hasContent(content);
  }

  @Test
  void many_servers_that_save_at_once_lose_nothing() {
    List<Future<Void>> saves = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      FilePinStore own = FilePinStore.of(vertx, file);
      saves.add(own.save(new ConnectionId("s" + i), pins("h" + i)));
    }
    BusTests.await(Future.all(saves));
    for (int i = 0; i < 20; i++) {
      assertThat(BusTests.await(store.load(new ConnectionId("s" + i)))).isEqualTo(pins("h" + i));
    }
  }
}
