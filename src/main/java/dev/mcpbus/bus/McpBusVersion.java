package dev.mcpbus.bus;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** Which mcpbus this is. */
public final class McpBusVersion {

  private McpBusVersion() {}

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
