package dev.mcpbus;

import dev.mcpbus.bus.AggregateOperation;
import dev.mcpbus.bus.HttpPath;
import dev.mcpbus.bus.ServerOperation;
import dev.mcpbus.bus.ServiceOperation;
import dev.mcpbus.bus.SocketRule;
import dev.mcpbus.security.OperationTable;
import dev.mcpbus.testing.Compared;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The tables of {@code addresses.md} are the rows of the operations. After a change of a row run
 * this test with {@code -Dmcpbus.write=true}: it writes them.
 */
class AddressPageTest {

  private static final Path PAGE = Path.of("src/docs/addresses.md");
  private static final String BEGIN = "<!-- rows -->\n";
  private static final String END = "<!-- end -->\n";

  @Test
  void the_page_has_the_rows() throws IOException {
    String page = Files.readString(PAGE);
    String made =
        page.substring(0, page.indexOf(BEGIN) + BEGIN.length())
            + tables()
            + page.substring(page.indexOf(END));
    Compared.page(PAGE, made, AddressPageTest.class);
  }

  private static String tables() {
    return "\n| `mcp.<id>.` | MCP method | takes, gives | right | doors | replicas | over HTTP |\n"
        + "|---|---|---|---|---|---|---|\n"
        + rows(Arrays.stream(ServerOperation.values()).map(AddressPageTest::row).toList())
        + "\n| all servers | takes, gives | doors | over HTTP |\n|---|---|---|---|\n"
        + rows(
            Arrays.stream(AggregateOperation.values())
                .filter(row -> row.plain)
                .map(
                    row ->
                        List.of(
                            code(row.address),
                            form(row.takes, row.gives),
                            doors(row.socket, true),
                            paths(row.paths)))
                .toList())
        + "\n| the service | takes, gives | doors | over HTTP |\n|---|---|---|---|\n"
        + rows(
            Arrays.stream(ServiceOperation.values())
                .map(
                    row ->
                        List.of(
                            code(row.address),
                            form(row.takes, row.gives),
                            doors(row.socket, row.plain),
                            paths(row.paths)))
                .toList())
        + "\n";
  }

  private static List<String> row(ServerOperation row) {
    String doors =
        switch (row.doors) {
          case EVERY -> "socket, plain, gateway";
          case OPEN -> "socket, plain";
          case GATEWAY -> "gateway";
          case INNER -> "";
        };
    return List.of(
        code(row.suffix),
        row.method == null ? "" : code(row.method),
        form(row.takes, row.gives),
        OperationTable.action(row.subject).word(),
        doors,
        row.replicas.name().toLowerCase(Locale.ROOT).replace('_', ' '),
        paths(row.paths));
  }

  private static String rows(List<List<String>> rows) {
    return rows.stream()
        .map(cells -> "| " + String.join(" | ", cells) + " |\n")
        .collect(Collectors.joining());
  }

  private static String doors(SocketRule socket, boolean plain) {
    List<String> doors = new ArrayList<>();
    if (socket != SocketRule.CLOSED) {
      doors.add("socket");
    }
    if (plain) {
      doors.add("plain");
    }
    return String.join(", ", doors);
  }

  private static String form(String takes, @Nullable String gives) {
    return takes + (gives == null ? "" : ", " + gives);
  }

  private static String paths(List<HttpPath> paths) {
    return paths.stream()
        .map(path -> code(path.verb() + " " + path.path().replaceAll(":(\\w+)", "{$1}")))
        .collect(Collectors.joining("<br>"));
  }

  private static String code(String text) {
    return "`" + text + "`";
  }
}
