package dev.mcpbus.seeds;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.Events;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.McpServerClient;
import dev.mcpbus.testing.Compared;
import io.modelcontextprotocol.server.McpServer;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page of the seeds is made of the rows that are run, and these name only what is there. */
class SeedsTest {

  private static final Path BASE = Path.of(System.getProperty("mcpbus.basedir", "."));

  private static final List<SeedDocument> DOCUMENTS =
      List.of(
          new ManagerSeedIT(),
          new SpecificationSeedIT(),
          new SdkSeedTest(),
          new ClientClassSeedTest(),
          new ConnectionsSeedIT());

  private static final String HEAD =
      """
      # Where the seeds went

      mcpbus comes from five documents. This table has every method, option and behaviour of theirs, what does it here, and how that was tried: each row is run against a running bus, by the address and by the facade. A row that names an address, a method, a key or an event and does not use it in its run fails. `SeedDocument` runs the rows, `SeedsTest` makes this page of them.

      `client` is an `McpClient`, `server` the `McpServerClient` that `client.server(id)` gives. A row without an address is about a program's own server, or about its options.

      """;

  private static Stream<Row> rows() {
    return DOCUMENTS.stream().flatMap(document -> document.rows().stream());
  }

  @Test
  void the_page_is_made_of_the_rows() throws IOException {
    String tables = DOCUMENTS.stream().map(SeedDocument::table).collect(Collectors.joining("\n"));
    Compared.page(BASE.resolve("src/docs/seeds.md"), HEAD + tables, SeedsTest.class);
  }

  @Test
  void a_row_names_an_address_and_a_place_that_exist() throws IOException {
    assertThat(rows().map(Row::seed)).doesNotHaveDuplicates().hasSizeGreaterThan(100);
    Map<String, Path> classes = sources();
    String keys =
        Files.readString(BASE.resolve("src/main/resources/mcpbus.schema.json"))
            + Files.readString(classes.get("ClientAliases"))
            + Files.readString(classes.get("ConfigKeys"));
    rows()
        .forEach(
            row -> {
              assertThat(row.places()).as(row.seed()).isNotEmpty();
              assertThat(row.tried()).isNotBlank();
              assertThat(row.addresses())
                  .allMatch(
                      address ->
                          Words.addresses().contains(address)
                              || Addresses.SERVED.contains(address.replace("mcp.<id>.", ""))
                              || address.matches("mcp\\.<id>\\.(events|input)"));
              assertThat(row.places())
                  .as(row.seed())
                  .allSatisfy(word -> exists(word, classes, keys));
            });
  }

  private static Map<String, Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(BASE.resolve("src/main/java"))) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> !file.endsWith("package-info.java"))
          .collect(
              Collectors.toMap(
                  file -> file.getFileName().toString().replace(".java", ""), file -> file));
    }
  }

  private static void exists(String word, Map<String, Path> classes, String keys) {
    String first = word.replaceFirst("\\..*", "");
    String last = word.substring(word.lastIndexOf('.') + 1);
    if (first.equals("client")) {
      assertThat(methods(McpClient.class)).contains(last);
    } else if (first.equals("server")) {
      assertThat(methods(McpServerClient.class)).contains(last);
    } else if (word.startsWith("POST ")) {
      assertThat(text(classes.get("RpcRoute"))).contains("\"" + word.substring(5) + "\"");
    } else if (word.equals("McpServer.async")) {
      assertThat(McpServer.class).hasPublicMethods("async");
    } else if (Character.isUpperCase(word.charAt(0))) {
      assertThat(classes).containsKey(first);
      assertThat(text(classes.get(first))).contains(last.equals(first) ? first : " " + last + "(");
    } else {
      assertThat(keys.contains("\"" + word + "\"") || Events.ALL.contains(word) || isCommand(word))
          .as(word)
          .isTrue();
    }
  }

  private static boolean isCommand(String word) {
    return word.startsWith("--") || word.equals("run");
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static List<String> methods(Class<?> facade) {
    return Arrays.stream(facade.getMethods()).map(Method::getName).toList();
  }
}
