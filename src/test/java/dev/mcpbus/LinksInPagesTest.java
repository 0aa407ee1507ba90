package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The links between pages: each leads to a file, and to a heading of it. */
class LinksInPagesTest {

  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Path INDEX = Path.of("src/docs/README.md");

  @Test
  void each_link_leads_somewhere() throws IOException {
    List<String> broken = new ArrayList<>();
    int found = 0;
    for (Path page : pages()) {
      for (MatchResult link : LINK.matcher(prose(page)).results().toList()) {
        found++;
        if (!leadsSomewhere(page, link.group(1))) {
          broken.add(page + ": " + link.group(1));
        }
      }
    }
    assertThat(broken).isEmpty();
    assertThat(found).isGreaterThan(200);
  }

  @Test
  void the_index_names_each_page() throws IOException {
    Set<Path> linked =
        LINK.matcher(Files.readString(INDEX))
            .results()
            .map(link -> file(INDEX, link.group(1)))
            .collect(Collectors.toCollection(TreeSet::new));
    try (Stream<Path> files = Files.walk(Path.of("src/docs"))) {
      assertThat(linked)
          .containsAll(
              files
                  .filter(file -> file.toString().endsWith(".md"))
                  .filter(file -> !file.equals(INDEX) && !file.toString().contains("decisions"))
                  .toList());
    }
  }

  private static List<Path> pages() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src/docs"));
        Stream<Path> top = Files.list(Path.of(""))) {
      return Stream.concat(files, top).filter(file -> file.toString().endsWith(".md")).toList();
    }
  }

  /** The page without its blocks of code. */
  private static String prose(Path page) throws IOException {
    return Files.readString(page).replaceAll("(?ms)^```.*?^```$", "").replaceAll("`[^`\n]*`", "");
  }

  private static boolean leadsSomewhere(Path page, String link) throws IOException {
    if (link.startsWith("https://") || link.startsWith("http://")) {
      return true;
    }
    Path file = file(page, link);
    int hash = link.indexOf('#');
    return Files.exists(file)
        && (hash < 0
            || !file.toString().endsWith(".md")
            || anchors(file).contains(link.substring(hash + 1)));
  }

  private static Path file(Path page, String link) {
    String path = link.replaceFirst("#.*", "");
    return path.isEmpty() ? page : page.resolveSibling(path).normalize();
  }

  private static Set<String> anchors(Path page) throws IOException {
    try (Stream<String> lines = Files.lines(page)) {
      return lines
          .filter(line -> line.matches("#{1,6} .*"))
          .map(line -> line.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT))
          .map(line -> line.replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-'))
          .collect(Collectors.toSet());
    }
  }
}
