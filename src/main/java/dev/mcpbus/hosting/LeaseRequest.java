package dev.mcpbus.hosting;

import dev.mcpbus.bus.CallerFacts;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.EndedCall;
import dev.mcpbus.connection.options.PrivateConnection;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.protocol.ProtocolVersion;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a holder asks for: {@code {id, capabilities, input, events, ttl, owner?, clientInfo?,
 * protocolVersion?, initialize?, initialized?, era?}}. Immutable.
 *
 * @param input the address that gets the server's questions
 * @param events the address that gets the events of the connection
 * @param owner the name of the principal, so that one principal cannot take all
 * @param caller for whom the server acts; null where its entry has one credential for all
 * @param initialize the params of {@code initialize}: {@code initialize} is the JSON text of the
 *     client's own, which counts more than {@code clientInfo}, {@code capabilities} and {@code
 *     protocolVersion}, because a {@code JsonObject} keeps no number as it was written
 * @param initialized the params of the client's {@code notifications/initialized}, from a JSON text
 *     too; null for none
 * @param era {@code INITIALIZE} or {@code DISCOVER}, the server's, if the holder knows it
 */
record LeaseRequest(
    @Nullable String input,
    String events,
    String owner,
    @Nullable CallerFacts caller,
    RawJson initialize,
    @Nullable RawJson initialized,
    @Nullable Era era) {

  private static final long MAX_TTL_MILLIS = TimeUnit.HOURS.toMillis(1);

  /**
   * Reads a request.
   *
   * @throws McpFailure {@code BAD_REQUEST} with the member that is wrong
   */
  static LeaseRequest parse(JsonObject body) {
    CallerFacts caller = CallerFacts.in(body);
    String input = body.getValue("input") instanceof String address ? address : null;
    if ((input == null && caller == null) || !(body.getValue("events") instanceof String events)) {
      throw McpFailure.badRequest(
          "a private connection needs \"input\" and \"events\", the addresses of its holder");
    }
    until(body);
    RawJson written = text(body, "initialize");
    return new LeaseRequest(
        input,
        events,
        caller == null ? body.getString("owner", FairLimit.ANYBODY) : caller.principal(),
        caller,
        written == null ? RawJson.of(stated(body)) : written,
        text(body, "initialized"),
        era(body));
  }

  /**
   * When the connection ends unless it is renewed, on the clock of {@link System#nanoTime}.
   *
   * @param body {@code ttl} is in milliseconds from now
   * @throws McpFailure {@code BAD_REQUEST} for a {@code ttl} that is none
   */
  static long until(JsonObject body) {
    if (body.getValue("ttl") instanceof Number ttl
        && ttl.longValue() > 0
        && ttl.longValue() <= MAX_TTL_MILLIS) {
      return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ttl.longValue());
    }
    throw McpFailure.badRequest("\"ttl\" must be milliseconds from 1 to " + MAX_TTL_MILLIS);
  }

  /**
   * What the connection itself has to know of it.
   *
   * @param ended receives each of its calls at the end
   * @param outcome as in {@link PrivateConnection}
   */
  PrivateConnection connection(
      ConnectionId server, Consumer<EndedCall> ended, PrivateConnection.StartOutcome outcome) {
    return new PrivateConnection(
        server,
        caller == null ? null : caller.principal(),
        input,
        events,
        initialize,
        initialized,
        version(),
        era,
        ended,
        outcome);
  }

  /** The version to offer; null for a version of no meaning in {@code initialize}. */
  private @Nullable ProtocolVersion version() {
    RawJson wanted = initialize.member("protocolVersion");
    return ProtocolVersion.ofWire(wanted == null || !wanted.isString() ? "" : wanted.asString())
        .filter(version -> version.era() == Era.INITIALIZE)
        .orElse(null);
  }

  /** The params of {@code initialize} of a holder that gives no text. */
  private static JsonObject stated(JsonObject body) {
    JsonObject stated = new JsonObject();
    for (String member : List.of("protocolVersion", "capabilities", "clientInfo")) {
      if (body.getValue(member) != null) {
        stated.put(member, body.getValue(member));
      }
    }
    return stated;
  }

  /** The JSON object in a text, on one line; null if there is none. */
  private static @Nullable RawJson text(JsonObject body, String member) {
    if (!(body.getValue(member) instanceof String text)) {
      return null;
    }
    try {
      return RawJson.checkedObject(Buffer.buffer(text), ParseLimits.DEFAULT);
    } catch (ProtocolException e) {
      throw McpFailure.badRequest("\"" + member + "\": " + e.getMessage());
    }
  }

  private static @Nullable Era era(JsonObject body) {
    for (Era era : Era.values()) {
      if (era.name().equals(body.getValue("era"))) {
        return era;
      }
    }
    return null;
  }
}
