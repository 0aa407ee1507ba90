package dev.mcpbus.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Which configuration a command means. Any thread; blocks on files. */
public final class ConfigFile {

  /** The file that is read without {@code --config}, in the working directory. */
  public static final Path DEFAULT = Path.of("conf", "mcpbus.json");

  private static @Nullable Path builtIn;

  private ConfigFile() {}

  /** The named file, else the one in this directory, else the one in the jar. */
  public static Path find(@Nullable Path named) {
    if (named != null) {
      return named;
    }
    return Files.isReadable(DEFAULT) ? DEFAULT : builtIn();
  }

  /** False for the configuration inside the jar. */
  public static boolean isOnDisk(Path source) {
    return source.getFileSystem().equals(FileSystems.getDefault());
  }

  /** The file in the jar, whose file system is opened once and stays until the process ends. */
  private static synchronized Path builtIn() {
    Path known = builtIn;
    if (known == null) {
      known = open();
      builtIn = known;
    }
    return known;
  }

  private static Path open() {
    URL url = Objects.requireNonNull(ConfigFile.class.getResource("/conf/mcpbus.json"));
    try {
      URI uri = url.toURI();
      if (uri.getScheme().equals("jar")) {
        FileSystems.newFileSystem(uri, Map.of());
      }
      return Path.of(uri);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
