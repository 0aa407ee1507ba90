package dev.mcpbus.bus;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The version of this mcpbus, from its build. Any thread may call. */
public final class McpBusVersion {

  private McpBusVersion() {}

  /** The version; {@code unknown} if the class path has no {@code mcpbus.properties}. */
  public static String current() {
    try (InputStream in = McpBusVersion.class.getResourceAsStream("/mcpbus.properties")) {
      Properties properties = new Properties();
      if (in != null) {
        properties.load(in);
      }
      return properties.getProperty("version", "unknown");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
