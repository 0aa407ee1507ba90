package dev.mcpbus.transparency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.TestBus;
import dev.mcpbus.transparency.Comparison.Difference;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Real servers are asked everything twice directly and once through {@code /mcp/<id>} by a client
 * of each era: the bytes are the same, but for the rows of {@code http.md} and for values that
 * differ between two direct dialogs.
 */
@Tag("long")
class TransparencyIT {

  private static final AllowedDifferences ALLOWED = new AllowedDifferences();

  private static int compared;

  @TempDir Path temp;

  /** Each is like one of the others: another version, another transport, or larger. */
  private static final Set<String> ALIKE =
      Set.of("everything-2025", "everything-http", "git", "desktop-commander");

  static Stream<RealServer> servers() {
    return RealServer.all().filter(server -> !ALIKE.contains(server.name()));
  }

  static Stream<RealServer> alike() {
    return RealServer.all().filter(server -> ALIKE.contains(server.name()));
  }

  /** A row of the page that no server needs says too much. */
  @AfterAll
  static void each_row_of_the_page_is_needed() {
    if (compared == RealServer.all().count()) {
      assertThat(ALLOWED.unused()).isEmpty();
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("servers")
  void what_a_client_gets_through_the_gateway_is_what_the_server_says(RealServer server)
      throws IOException {
    compare(server);
  }

  @Tag("release")
  @ParameterizedTest(name = "{0}")
  @MethodSource("alike")
  void the_same_holds_for_servers_that_are_like_those(RealServer server) throws IOException {
    compare(server);
  }

  private void compare(RealServer server) throws IOException {
    Path folder = temp.toRealPath().resolve("files");
    server.prepare(folder);
    List<String> differing = new ArrayList<>();
    StringBuilder report = new StringBuilder();
    try (RealServer.Place behind = server.start(folder);
        TestBus bus = TestBus.startWithBridge(TestBus.server(server.name(), behind.entry()))) {
      bus.awaitState(server.name(), "READY");
      String url = "http://127.0.0.1:" + bus.port() + "/mcp/" + server.name();
      for (boolean discover : new boolean[] {false, true}) {
        boolean sameEra = discover ? server.discover() : server.initialize();
        boolean asked = sameEra == discover;
        List<Heard> first =
            run(server, folder, sameEra, () -> server.dialog(folder, asked), List.of());
        List<Heard> through =
            run(server, folder, sameEra, () -> new HttpDialog(url, discover), first);
        // After it: a time that has passed meanwhile differs between the direct ones, too.
        List<Heard> second =
            run(server, folder, sameEra, () -> server.dialog(folder, asked), List.of());
        Comparison comparison = new Comparison(first, second, through, sameEra, discover, ALLOWED);
        String pair = server.name() + (discover ? ", discover client" : ", initialize client");
        for (Difference one : comparison.differences()) {
          differing.add(pair + ": " + one.about());
          report.append('\n').append(pair).append(": ").append(one);
        }
        report.append('\n').append(pair).append(" varies: ").append(comparison.varying());
      }
    }
    compared++;
    Path out = Files.createDirectories(Path.of("target", "transparency"));
    Files.writeString(out.resolve(server.name() + ".md"), report);
    assertThat(differing).as(report.toString()).isEmpty();
  }

  private static List<Heard> run(
      RealServer server,
      Path folder,
      boolean sameEra,
      Supplier<Dialog> dialogs,
      List<Heard> others) {
    server.prepare(folder);
    try (Dialog dialog = dialogs.get()) {
      new Interview(dialog, server, folder, sameEra).run();
      dialog.awaitAll(others);
      return List.copyOf(dialog.heard());
    }
  }
}
