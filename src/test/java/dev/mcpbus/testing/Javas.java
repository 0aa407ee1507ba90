package dev.mcpbus.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The Javas of this machine, each by the folder that holds {@code bin/java}. */
public final class Javas {

  private static final Path JVMS = Path.of("/usr/lib/jvm");

  private Javas() {}

  /** The one that runs the tests. */
  public static Path present() {
    return Path.of(System.getProperty("java.home"));
  }

  /** Java 25, the newest long-term one; null where this machine has none. */
  public static @Nullable Path newest() {
    if (!Files.isDirectory(JVMS)) {
      return null;
    }
    try (Stream<Path> all = Files.list(JVMS)) {
      return all.filter(one -> one.getFileName().toString().matches(".*\\b25\\b.*"))
          .filter(one -> Files.isExecutable(one.resolve("bin/java")))
          .findFirst()
          .orElse(null);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
