package dev.mcpbus.cli;

import dev.mcpbus.security.AdminTokenFile;
import java.io.Console;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes the admin token of the standalone service: writes it to the user's own file while the
 * service runs, and shows it to a person at the terminal. The token never appears in a log. Blocks;
 * for threads that may wait.
 */
public final class AdminTokenPublisher {

  private static final Logger LOG = LoggerFactory.getLogger(AdminTokenPublisher.class);

  private final AdminTokenFile file;
  private final @Nullable String token;
  private @Nullable String problem;

  /**
   * @param token null where callers log in with keys or tokens of their own
   * @param port the bridge's port, part of the file's name
   * @param variables environment variables, which may name the folder
   */
  public AdminTokenPublisher(@Nullable String token, int port, Map<String, String> variables) {
    this.file = AdminTokenFile.of(port, variables);
    this.token = token;
  }

  /**
   * Writes the file. Where that fails, the service runs on, without administrative requests over
   * HTTP.
   */
  public void open() {
    if (token == null) {
      return;
    }
    try {
      file.write(token);
    } catch (IOException | RuntimeException e) {
      problem = file.path() + " cannot be written: " + e;
      LOG.warn(
          "{}; name another folder in {}, or configure auth.apiKeys, to add or stop servers over"
              + " HTTP",
          problem,
          AdminTokenFile.FOLDER_VARIABLE);
    }
  }

  /** Removes the file. */
  public void close() {
    if (token == null) {
      return;
    }
    try {
      file.remove(token);
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "the file {} with the admin token could not be removed; delete it: {}",
          file.path(),
          e.toString());
    }
  }

  /**
   * The line of the start's report, with its line break; empty where there is no token.
   *
   * @param base the bridge's URL
   * @param terminal whether the output is a terminal, not a log
   */
  public String line(String base, boolean terminal) {
    if (token == null) {
      return "";
    }
    if (terminal) {
      // The part after # stays in the browser.
      return "Admin:  " + base + "/#token=" + token + "\n";
    }
    return problem == null
        ? "Admin:  to add or stop servers, send the key in " + file.path() + "\n"
        : "Admin:  not available, " + problem + "\n";
  }

  /** Whether standard output is a terminal. */
  @SuppressWarnings("SystemConsoleNull") // checked below, where it can be
  public static boolean isTerminal() {
    Console console = System.console();
    if (console == null) {
      return false;
    }
    try {
      // Since Java 22 there is a console without a terminal, too.
      return Boolean.TRUE.equals(Console.class.getMethod("isTerminal").invoke(console));
    } catch (NoSuchMethodException e) {
      return true;
    } catch (IllegalAccessException | InvocationTargetException e) {
      return false;
    }
  }
}
