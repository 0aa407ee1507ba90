package dev.mcpbus.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which mcpbus a command talks to. A mixin of commands; set by picocli, then only read. */
public final class ServiceOptions {

  @Option(
      order = 92,
      names = "--url",
      paramLabel = "URL",
      description = "The mcpbus to talk to. Default: MCPBUS_URL, else the one on this machine.")
  public @Nullable String url;

  @Option(
      order = 93,
      names = "--key-file",
      paramLabel = "FILE",
      description =
          "File with the API key. Default: MCPBUS_KEY, else your sign-in (mcpbus login), else the "
              + "admin key on this machine.")
  public @Nullable Path keyFile;

  @Option(
      order = 94,
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description = "Configuration of the mcpbus on this machine. Default: conf/mcpbus.json.")
  public @Nullable Path config;
}
