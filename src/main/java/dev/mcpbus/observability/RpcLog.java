package dev.mcpbus.observability;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.protocol.MessageTap;
import dev.mcpbus.protocol.Printable;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.Redactor;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Taps that show the JSON-RPC messages of one connection to operators. If the log is off, a
 * connection has no tap at all.
 *
 * <p>Secrets become {@code ***}: the values of members whose names are secret ({@link
 * dev.mcpbus.protocol.SecretRules}), at any depth, and the connection's own secrets in every
 * spelling. Only the first 64 KiB of a message are masked and shown, on the bus 1 MiB. A tap runs
 * on the thread of the connection, never throws, and does not change the bytes.
 */
public final class RpcLog implements MessageTap {

  /** The name of the logger, so that operators can route or silence it. */
  public static final String LOGGER = "mcpbus.rpc";

  private static final Logger LOG = LoggerFactory.getLogger(LOGGER);
  private static final int LINE_BYTES = 64 * 1024;
  private static final int MESSAGE_BYTES = 1024 * 1024;

  private final SecretMask mask;
  private final int most;
  private final BiConsumer<Direction, String> sink;

  private RpcLog(Redactor secrets, int most, BiConsumer<Direction, String> sink) {
    this.mask = new SecretMask(secrets);
    this.most = most;
    this.sink = sink;
  }

  /**
   * A tap that logs one line per message, at level INFO of the logger {@value #LOGGER}.
   *
   * @param secrets of the connection
   */
  public static MessageTap toLog(ConnectionId server, Redactor secrets) {
    RpcLog tap =
        new RpcLog(
            secrets,
            LINE_BYTES,
            (direction, text) ->
                LOG.info(
                    "{} {} {}",
                    server,
                    direction == Direction.SENT ? "->" : "<-",
                    Printable.line(text)));
    return (direction, message) -> {
      if (LOG.isInfoEnabled()) {
        tap.message(direction, message);
      }
    };
  }

  /**
   * A tap that publishes each message on {@link Addresses#RPC}: {@code direction} ({@code sent} or
   * {@code received}), {@code server}, {@code time} (ISO-8601) and {@code message}, the masked
   * text.
   *
   * @param which of the server's connections it is: members that each message has, too. Ids of
   *     JSON-RPC requests are unique on one connection alone
   * @param secrets of the connection
   */
  public static MessageTap toBus(
      Vertx vertx,
      ConnectionId server,
      Map<String, String> which,
      Redactor secrets,
      InstantSource clock) {
    return new RpcLog(
        secrets,
        MESSAGE_BYTES,
        (direction, text) -> {
          JsonObject shown =
              new JsonObject()
                  .put("direction", direction.name().toLowerCase(Locale.ROOT))
                  .put("server", server.value());
          which.forEach(shown::put);
          shown.put("time", clock.instant().toString()).put("message", text);
          vertx.eventBus().publish(Addresses.RPC, shown);
        });
  }

  @Override
  public void message(Direction direction, RawJson message) {
    try {
      sink.accept(direction, text(message));
    } catch (RuntimeException e) {
      // The exception's message may quote the text, so only its class is logged. The call goes on.
      LOG.warn("a message could not be shown in the RPC log: {}", e.getClass().getName());
    }
  }

  private String text(RawJson message) {
    boolean cut = message.length() > most;
    int shown = Math.min(message.length(), most);
    String text = new String(message.array(), message.offset(), shown, StandardCharsets.UTF_8);
    String masked = mask.mask(text, cut);
    return cut ? masked + " ...[cut: " + message.length() + " bytes in all]" : masked;
  }
}
