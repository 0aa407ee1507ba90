package dev.mcpbus.cli.doctor;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Looks for programs as a child process of the server's entry would. Blocks on the file system.
 *
 * @param path the value of {@code PATH}
 * @param base where relative paths begin
 * @param home the user's home directory
 */
record PathSearch(String path, Path base, Path home) {

  private static final String DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

  /** Where installers put programs without a word to services; below the home directory. */
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

  private static final List<String> OF_ALL =
      List.of("/usr/local/bin", "/opt/homebrew/bin", "/snap/bin", "/usr/bin", "/bin");

  static PathSearch of(Map<String, String> env, Path base, Path home) {
    return new PathSearch(env.getOrDefault("PATH", DEFAULT_PATH), base, home);
  }

  /** The first executable file of that name on the path. */
  Optional<Path> executable(String name) {
    return onPath(name).filter(PathSearch::isExecutable).findFirst();
  }

  /** The first file of that name on the path that is not executable. */
  Optional<Path> other(String name) {
    return onPath(name).filter(Files::isRegularFile).findFirst();
  }

  /** The program where a person may have installed it, outside the path. */
  Optional<Path> elsewhere(String name) {
    List<Path> folders = new ArrayList<>();
    OF_USERS.forEach(folder -> folders.add(home.resolve(folder)));
    OF_ALL.forEach(folder -> folders.add(Path.of(folder)));
    folders.addAll(versions(home.resolve(".nvm/versions/node")));
    return folders.stream()
        .map(folder -> folder.resolve(name))
        .filter(PathSearch::isExecutable)
        .findFirst();
  }

  /** The {@code bin} of each version, the newest name first. */
  private static List<Path> versions(Path folder) {
    String[] names = folder.toFile().list();
    return names == null
        ? List.of()
        : Stream.of(names)
            .sorted((a, b) -> b.compareTo(a))
            .limit(20)
            .map(name -> folder.resolve(name).resolve("bin"))
            .toList();
  }

  /** The directories of the path, each once. */
  List<String> folders() {
    return Stream.of(path.split(File.pathSeparator)).distinct().toList();
  }

  static boolean isExecutable(Path program) {
    return Files.isRegularFile(program) && Files.isExecutable(program);
  }

  private Stream<Path> onPath(String name) {
    return Stream.of(path.split(File.pathSeparator, -1))
        .flatMap(
            folder -> {
              try {
                return Stream.of(base.resolve(folder).resolve(name));
              } catch (InvalidPathException e) {
                return Stream.empty();
              }
            });
  }
}
