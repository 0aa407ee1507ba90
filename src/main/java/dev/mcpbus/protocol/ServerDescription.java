package dev.mcpbus.protocol;

import io.vertx.core.json.JsonObject;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a server states about itself in {@code initialize} or in {@code server/discover}.
 *
 * @param protocolVersion as the server wrote it, not yet checked; empty if absent
 * @param capabilities as sent, unknown ones included, without those that are null; empty if absent
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

  /** What is longer counts as absent: as objects it would take twenty times its bytes. */
  private static final int MAX_OBJECT = 1024 * 1024;

  /** A handshake with more bytes than this, without its instructions, has long capabilities. */
  private static final int LONG = 64 * 1024;

  /** Reads the result of {@code initialize}. */
  public static ServerDescription ofInitialize(RawJson result) {
    String version = text(result, "protocolVersion");
    return new ServerDescription(
        version == null ? "" : version,
        withoutNulls(object(result, "capabilities")),
        Implementation.of(object(result, "serverInfo")),
        text(result, "instructions"),
        result);
  }

  /**
   * Reads the result of {@code server/discover}.
   *
   * @param version the version that mcpbus has chosen from {@code supportedVersions}
   */
  public static ServerDescription ofDiscover(RawJson result, ProtocolVersion version) {
    RawJson meta = result.member("_meta");
    return new ServerDescription(
        version.wire(),
        withoutNulls(object(result, "capabilities")),
        Implementation.of(
            meta == null || !meta.isObject()
                ? new JsonObject()
                : object(meta, MetaKeys.SERVER_INFO)),
        text(result, "instructions"),
        result);
  }

  /** A member that is an object; an empty one for others, and for one that is too long. */
  private static JsonObject object(RawJson of, String name) {
    RawJson member = of.member(name);
    return member != null && member.isObject() && member.length() <= MAX_OBJECT
        ? member.toJsonObject()
        : new JsonObject();
  }

  /** {@code "resources": null} offers none. */
  private static JsonObject withoutNulls(JsonObject capabilities) {
    capabilities.forEach(
        each -> {
          if (each.getValue() instanceof JsonObject inner) {
            withoutNulls(inner);
          }
        });
    capabilities.getMap().values().removeIf(Objects::isNull);
    return capabilities;
  }

  private static @Nullable String text(RawJson of, String name) {
    RawJson member = of.member(name);
    return member != null && member.isString() ? member.asString() : null;
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
