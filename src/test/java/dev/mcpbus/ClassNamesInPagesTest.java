package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Documents name classes of ours, their packages and members in backticks: all of them exist. */
class ClassNamesInPagesTest {

  /** Plans, which name classes of the past, and a page about other projects. */
  private static final Set<String> LEFT_OUT = Set.of("0014-the-tree.md", "seeds.md");

  /** Names of the JDK, of frameworks, of HTTP and of operating systems. */
  private static final Set<String> FOREIGN =
      Set.of(
          ("Authorization BigDecimal Buffer Cookie DPoP EdDSA Future Host HttpClient IMap IllegalArgumentException"
                  + " Invocation JsonObject LoadCredential Map McpClientListener McpServer"
                  + " McpToolFilter McpToolNamePrefixGenerator MigrationThread Mono NetworkPolicy"
                  + " Origin ProcessBuilder ReplyException ToolContext"
                  + " ToolContextToMcpMetaConverter ToolExecution ToolExecutionException Vertx VmRSS")
              .split(" "));

  private static final Pattern NAME =
      Pattern.compile(
          "`((?:[a-z0-9]+\\.)*)([A-Z]\\w*[a-z]\\w*)(?:\\.(\\w+))?(?:\\([^`]*\\))?(?:\\.\\.\\.)?`");

  /** Such as {@code gateway/http/RequestHeaders}, with a member or without. */
  private static final Pattern FILE = Pattern.compile("`((?:[a-z]+/)+[A-Z]\\w+)(?:\\.\\w+)?`");

  private static final Pattern TYPE =
      Pattern.compile("\\b(?:class|interface|enum|record) ([A-Z]\\w+)");

  /** The texts of the files that declare a type, by its simple name; each begins with its path. */
  private final Map<String, List<String>> sources = new HashMap<>();

  @Test
  void every_class_that_a_page_names_is_there() throws IOException {
    for (String tree : List.of("src/main/java", "src/test/java", "src/bench/java")) {
      try (Stream<Path> files = Files.walk(Path.of(tree))) {
        files.filter(file -> file.toString().endsWith(".java")).forEach(this::read);
      }
    }
    List<String> missing = new ArrayList<>();
    int found = 0;
    for (Path page : pages()) {
      for (MatchResult name : NAME.matcher(Files.readString(page)).results().toList()) {
        found++;
        if (!exists(name)) {
          missing.add(page + ": " + name.group());
        }
      }
    }
    assertThat(missing).isEmpty();
    assertThat(found).isGreaterThan(500);
  }

  @Test
  void every_file_that_contributing_names_by_its_folder_is_there() throws IOException {
    Path main = Path.of("src/main/java/dev/mcpbus");
    List<String> missing = new ArrayList<>();
    int found = 0;
    String page = Files.readString(Path.of("CONTRIBUTING.md"));
    for (MatchResult file : FILE.matcher(page).results().toList()) {
      found++;
      if (!Files.exists(main.resolve(file.group(1) + ".java"))) {
        missing.add(file.group());
      }
    }
    assertThat(missing).isEmpty();
    assertThat(found).isGreaterThan(40);
  }

  static List<Path> pages() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src/docs"))) {
      return Stream.concat(files, Stream.of(Path.of("README.md"), Path.of("CONTRIBUTING.md")))
          .filter(page -> page.toString().endsWith(".md"))
          .filter(page -> !LEFT_OUT.contains(page.getFileName().toString()))
          .toList();
    }
  }

  private void read(Path file) {
    String text;
    try {
      text = file + "\n" + Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Matcher type = TYPE.matcher(text);
    while (type.find()) {
      sources.computeIfAbsent(type.group(1), first -> new ArrayList<>()).add(text);
    }
  }

  private boolean exists(MatchResult name) {
    String folder = name.group(1).replaceFirst("^dev\\.mcpbus\\.", "").replace('.', '/');
    String member = name.group(3);
    return FOREIGN.contains(name.group(2))
        || folder.startsWith("java/")
        || sources.getOrDefault(name.group(2), List.of()).stream()
            .filter(
                text -> folder.isEmpty() || text.contains("/" + folder + name.group(2) + ".java"))
            .anyMatch(text -> member == null || text.contains(member));
  }
}
