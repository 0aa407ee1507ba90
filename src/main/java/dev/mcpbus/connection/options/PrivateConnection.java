package dev.mcpbus.connection.options;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonObject;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection that belongs to one client of the gateway, or to one principal: the questions and
 * events of its server go to the addresses of its holder and to no other.
 *
 * @param of the id of the server, under which its pins are stored
 * @param principal whose connection it is, where the server acts for its callers: events of what
 *     the server offers are published in the name of the server, for this principal alone; null for
 *     the connection of one client
 * @param input the address that gets questions, {@code {id, method, params}}; null where they go
 *     the way of those of a shared connection
 * @param events the address that gets the events, which are not published
 * @param initialize the params of the client's {@code initialize}, which the server gets as the
 *     client wrote them: of a client of the {@code discover} era those that it states with its
 *     requests. The name of mcpbus takes the place of an absent {@code clientInfo}
 * @param initialized the params of its {@code notifications/initialized}; null for none
 * @param version that it offers in {@code initialize}: the client's; null for the latest
 * @param era of the server, as its shared connection has found it, so that the server gets no
 *     probe; null if it is to be found
 * @param ended receives each call at its end, on the connection's context; it must not throw
 * @param outcome of its starts; on the connection's context; it must not throw
 */
public record PrivateConnection(
    ConnectionId of,
    @Nullable String principal,
    @Nullable String input,
    String events,
    RawJson initialize,
    @Nullable RawJson initialized,
    @Nullable ProtocolVersion version,
    @Nullable Era era,
    Consumer<EndedCall> ended,
    StartOutcome outcome) {

  /** Learns what becomes of each start. */
  @FunctionalInterface
  public interface StartOutcome {

    /**
     * A session is ready, has failed or has ended, or the supervisor has given up.
     *
     * @param failure null when a session is ready
     * @param refused whether the server itself answered the handshake with an error that does not
     *     look like an overload, or its program ended in it
     */
    void of(@Nullable McpFailure failure, boolean refused);
  }

  /** The server by whose name callers know the connection; null where they know its own alone. */
  public @Nullable ConnectionId shownAs() {
    return principal == null ? null : of;
  }

  private static final Set<String> USUAL = Set.of("protocolVersion", "capabilities", "clientInfo");

  /** The client's capabilities; an empty object if it states none. */
  public RawJson capabilities() {
    RawJson stated = initialize.member("capabilities");
    return stated == null || !stated.isObject() ? RawJson.EMPTY_OBJECT : stated;
  }

  /**
   * Whether no server has a reason to refuse what a client states in {@code initialize}: only then
   * does a refusal say something of the server. Judges the forms that servers check most.
   *
   * @param initialize the params as the client wrote them
   */
  public static boolean isUsual(RawJson initialize) {
    JsonObject stated = initialize.toJsonObject();
    if (!USUAL.containsAll(stated.fieldNames())) {
      return false;
    }
    if (stated.getValue("clientInfo") instanceof JsonObject info
        && !(info.getValue("name") instanceof String name
            && !name.isBlank()
            && info.getValue("version") instanceof String version
            && !version.isBlank()
            && info.stream().allMatch(member -> member.getValue() instanceof String))) {
      return false;
    }
    return !(stated.getValue("capabilities") instanceof JsonObject capabilities)
        || capabilities.stream().allMatch(one -> isCapability(one.getValue()));
  }

  /** An object of objects and of flags. */
  private static boolean isCapability(Object value) {
    return value instanceof JsonObject parts
        && parts.stream()
            .allMatch(
                part ->
                    part.getValue() instanceof JsonObject || part.getValue() instanceof Boolean);
  }
}
