package dev.mcpbus.cli.imports;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Where MCP clients keep their servers, on Linux, macOS and Windows. Stateless; blocks on files.
 */
final class ClientPlaces {

  /** Folders of applications' settings, relative to the home directory: one for each system. */
  private static final List<String> SETTINGS =
      List.of(".config", "Library/Application Support", "AppData/Roaming");

  /** The folder in which Continue has a file for each server. */
  private static final Path BLOCKS = Path.of(".continue", "mcpServers");

  private static final int MAX_BLOCKS = 100;

  /**
   * @param client whose file it is, for people
   * @param file that exists
   * @param inProject whether the client starts the file's programs in the folder of a project
   */
  record ClientPlace(String client, Path file, boolean inProject) {}

  private ClientPlaces() {}

  /**
   * The files that exist: those of the user, then those of the project.
   *
   * @param project the working directory
   */
  static List<ClientPlace> find(Path home, Path project) {
    List<ClientPlace> places = new ArrayList<>();
    ofUser(home).forEach(place -> add(places, place));
    blocks(home, false).forEach(place -> add(places, place));
    table("project")
        .forEach(one -> add(places, new ClientPlace(one[1], project.resolve(one[2]), true)));
    blocks(project, true).forEach(place -> add(places, place));
    return places;
  }

  /** A file that a person names: of the user where it is at such a place, else of a project. */
  static ClientPlace named(Path home, Path file) {
    boolean user =
        file.endsWith("claude_desktop_config.json")
            || ofUser(home).stream().anyMatch(place -> place.file().equals(file));
    return new ClientPlace("file", file, !user);
  }

  private static List<ClientPlace> ofUser(Path home) {
    List<ClientPlace> all = new ArrayList<>();
    for (String[] one : table("settings")) {
      for (String settings : SETTINGS) {
        all.add(new ClientPlace(one[1], home.resolve(settings).resolve(one[2]), false));
      }
    }
    table("home").forEach(one -> all.add(new ClientPlace(one[1], home.resolve(one[2]), false)));
    return all;
  }

  /**
   * The rows of the table for a kind of folder: the kind, the client, its file below the folder.
   */
  private static List<String[]> table(String kind) {
    try (InputStream in = ClientPlaces.class.getResourceAsStream("/client-places.txt")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(line -> line.split(" \\| "))
          .filter(row -> row[0].equals(kind))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<ClientPlace> blocks(Path base, boolean inProject) {
    try (Stream<Path> files = Files.list(base.resolve(BLOCKS))) {
      return files
          .filter(file -> file.toString().matches(".*\\.(yaml|yml|json)"))
          .sorted()
          .limit(MAX_BLOCKS)
          .map(file -> new ClientPlace("Continue", file, inProject))
          .toList();
    } catch (IOException none) {
      return List.of();
    }
  }

  private static void add(List<ClientPlace> places, ClientPlace place) {
    if (Files.isRegularFile(place.file())
        && places.stream().noneMatch(known -> known.file().equals(place.file()))) {
      places.add(place);
    }
  }
}
