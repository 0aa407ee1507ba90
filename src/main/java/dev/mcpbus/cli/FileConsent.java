package dev.mcpbus.cli;

import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.read.ConfigCheck;
import dev.mcpbus.internals.PrivateFile;
import dev.mcpbus.protocol.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A person's consent to start what a configuration names that mcpbus found in the working
 * directory: the directory may be another person's. {@code --config FILE} is consent, and so is
 * {@code mcpbus run}; any other command asks, once for each content of the file. Blocks on files.
 *
 * @param folder has one file for each path, named by the path's digest, with that of the content
 */
public record FileConsent(Path folder) {

  private static final int MAX_ANSWER = 100;

  /** The consents of this user. */
  public static FileConsent of(Path home) {
    return new FileConsent(home.resolve(".mcpbus").resolve("consents"));
  }

  /** Whether the user has agreed to this content of the file; to that in the jar, always. */
  boolean covers(Path file, ConfigResult read) {
    if (!ConfigFile.isOnDisk(file)) {
      return true;
    }
    try {
      return !read.digest().isEmpty() && Files.readString(entry(file)).equals(read.digest());
    } catch (IOException none) {
      return false;
    }
  }

  /** Remembers the consent; where that cannot be, the next command asks again. */
  void give(Path file, ConfigResult read) {
    if (ConfigFile.isOnDisk(file) && !covers(file, read)) {
      try {
        PrivateFile.inOwnFolder(entry(file), "remove it")
            .replace(read.digest().getBytes(StandardCharsets.US_ASCII));
      } catch (IOException unwritable) {
        // A home without room, or of another user: the consent holds for this command alone.
      }
    }
  }

  /**
   * What {@code mcpbus run} has applied of a changed file is agreed to as the file was before; a
   * file without any consent stays without.
   */
  public void renew(Path file, ConfigResult applied) {
    if (ConfigFile.isOnDisk(file) && Files.exists(entry(file))) {
      give(file, applied);
    }
  }

  private Path entry(Path file) {
    return folder.resolve(Sha256.hex(file.toAbsolutePath().normalize().toString()));
  }

  /**
   * Returns where the servers of the file may be started; asks a person at the terminal for it.
   *
   * @param named the file that the command line names, null for none
   * @param asks whether stdin is there for the answer
   * @throws CommandFailure where the user does not agree; its text says what helps
   */
  public static void require(
      CommandContext context,
      @Nullable Path named,
      ConfigResult read,
      McpBusConfig config,
      boolean asks) {
    FileConsent consents = of(context.home());
    Path file = ConfigFile.find(named);
    if (named != null || consents.covers(file, read)) {
      return;
    }
    if (asks && context.terminal().in() && context.terminal().err()) {
      CommandOutput output = new CommandOutput(context);
      output.note(file + " in this directory starts or connects to:");
      ConfigCheck.servers(config)
          .forEach(one -> output.note("  " + one.id() + ": " + one.target()));
      output.note("Is it yours, or have you read it? The answer is kept for this content. [y/N]");
      if (agreed(context)) {
        consents.give(file, read);
        return;
      }
    }
    throw new CommandFailure(
        ExitCode.NOT_ALLOWED,
        "NO_CONSENT",
        file
            + " was only found in this directory, and you have not agreed to this content of it, so"
            + " nothing in it is started; read it, then name it with --config "
            + file);
  }

  private static boolean agreed(CommandContext context) {
    StringBuilder answer = new StringBuilder();
    try {
      for (int c = context.in().read();
          c >= 0 && c != '\n' && answer.length() < MAX_ANSWER;
          c = context.in().read()) {
        answer.append((char) c);
      }
    } catch (IOException closed) {
      return false;
    }
    return answer.toString().strip().matches("(?i)y(es)?");
  }
}
