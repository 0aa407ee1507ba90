package dev.mcpbus.doctor;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Where installers put programs that a shell finds and a service does not. Blocks on the file
 * system.
 *
 * @param home the user's home directory
 * @param others directories of all users
 */
record UsualFolders(Path home, List<Path> others) {

  private static final int MAX_VERSIONS = 20;

  private static final List<String> OF_USERS =
      List.of(
          ".local/bin",
          ".cargo/bin",
          ".bun/bin",
          ".deno/bin",
          ".volta/bin",
          ".asdf/shims",
          ".pyenv/shims",
          ".npm-global/bin",
          "bin");

  private static final List<Path> OF_ALL =
      Stream.of("/usr/local/bin", "/opt/homebrew/bin", "/snap/bin", "/usr/bin", "/bin")
          .map(Path::of)
          .toList();

  UsualFolders {
    others = List.copyOf(others);
  }

  /** Those of this machine. */
  static UsualFolders of(Path home) {
    return new UsualFolders(home, OF_ALL);
  }

  /** The program of that name. */
  Optional<Path> find(String name) {
    List<Path> folders = new ArrayList<>();
    OF_USERS.forEach(folder -> folders.add(home.resolve(folder)));
    folders.addAll(others);
    folders.addAll(versions(home.resolve(".nvm/versions/node")));
    return folders.stream()
        .map(folder -> folder.resolve(name))
        .filter(program -> Files.isRegularFile(program) && Files.isExecutable(program))
        .findFirst();
  }

  /** The {@code bin} of each version, the greatest name first. */
  private static List<Path> versions(Path folder) {
    String[] names = folder.toFile().list();
    return names == null
        ? List.of()
        : Stream.of(names)
            .sorted(Comparator.reverseOrder())
            .limit(MAX_VERSIONS)
            .map(name -> folder.resolve(name).resolve("bin"))
            .toList();
  }
}
