package dev.mcpbus.protocol;

import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * What a server states about itself in {@code initialize} or in {@code server/discover}.
 *
 * @param protocolVersion as the server wrote it, not yet checked; empty if absent
 * @param capabilities as sent, unknown ones included; empty if absent
 * @param serverInfo the server's name and version
 * @param instructions how to use the server, null if absent
 * @param raw the whole result, as the server wrote it
 */
public record ServerDescription(
    String protocolVersion,
    JsonObject capabilities,
    Implementation serverInfo,
    @Nullable String instructions,
    RawJson raw) {

  private static final int SHOWN = 4_096;
  private static final int SHOWN_NAMES = 32;

  /** A handshake with more bytes than this, without its instructions, has long capabilities. */
  private static final int LONG = 64 * 1024;

  /** Reads the result of {@code initialize}. */
  public static ServerDescription ofInitialize(RawJson result) {
    JsonObject json = result.toJsonObject();
    Object version = json.getValue("protocolVersion");
    return new ServerDescription(
        version instanceof String wire ? wire : "",
        json.getValue("capabilities") instanceof JsonObject object ? object : new JsonObject(),
        json.getValue("serverInfo") instanceof JsonObject object
            ? Implementation.of(object)
            : new Implementation("", ""),
        json.getValue("instructions") instanceof String text ? text : null,
        result);
  }

  /**
   * Reads the result of {@code server/discover}.
   *
   * @param version the version that mcpbus has chosen from {@code supportedVersions}
   */
  public static ServerDescription ofDiscover(RawJson result, ProtocolVersion version) {
    JsonObject json = result.toJsonObject();
    JsonObject meta =
        json.getValue("_meta") instanceof JsonObject object ? object : new JsonObject();
    return new ServerDescription(
        version.wire(),
        json.getValue("capabilities") instanceof JsonObject object ? object : new JsonObject(),
        meta.getValue(MetaKeys.SERVER_INFO) instanceof JsonObject object
            ? Implementation.of(object)
            : new Implementation("", ""),
        json.getValue("instructions") instanceof String text ? text : null,
        result);
  }

  /**
   * A text of the server for lists and events, which hold those of all servers: at most {@value
   * #SHOWN} characters, and how many there are. The gateway passes the whole text.
   */
  public static @Nullable String shown(@Nullable String text) {
    return text == null || text.length() <= SHOWN
        ? text
        : text.substring(0, SHOWN) + "... (" + text.length() + " characters)";
  }

  /** The name and the version, each of them {@link #shown}. */
  public Implementation shownInfo() {
    return new Implementation(
        String.valueOf(shown(serverInfo.name())), String.valueOf(shown(serverInfo.version())));
  }

  /** The capabilities, of long ones the first names alone. */
  public JsonObject shownCapabilities() {
    int instructed = instructions == null ? 0 : instructions.length();
    if (raw.length() - instructed <= LONG) {
      return capabilities;
    }
    JsonObject names = new JsonObject();
    capabilities.fieldNames().stream()
        .limit(SHOWN_NAMES)
        .forEach(name -> names.put(String.valueOf(shown(name)), new JsonObject()));
    return names;
  }

  /** True if the server offers the capability, whatever its value. */
  public boolean offers(String capability) {
    return capabilities.containsKey(capability);
  }
}
