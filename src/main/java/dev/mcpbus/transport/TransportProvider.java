package dev.mcpbus.transport;

import dev.mcpbus.protocol.ParseLimits;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A kind of transport that is not built in. Found with {@link java.util.ServiceLoader}; a server's
 * entry chooses it by {@code "type"}, or by the scheme of its {@code "url"}. Has a public
 * constructor without parameters. Called from any thread.
 */
public interface TransportProvider {

  /**
   * What an entry says, its variables filled in.
   *
   * @param url as written, null where the entry has none
   * @param options the object {@code "options"} of the entry, empty where it has none
   * @param limits bounds of one message
   * @param connectTimeout for the connection
   */
  record Settings(
      @Nullable String url, JsonObject options, ParseLimits limits, Duration connectTimeout) {

    /** Leaves all out that may hold a secret. */
    @Override
    public String toString() {
      return "settings of a transport";
    }
  }

  /** The {@code type} of an entry: lower case, none of the built-in ones. */
  String type();

  /**
   * Schemes of URLs that stand for this type where an entry has no {@code type}, in lower case;
   * those of the built-in transports cannot be taken.
   */
  default Set<String> schemes() {
    return Set.of();
  }

  /**
   * Reads and checks an entry; opens nothing.
   *
   * @return of this {@link #type}; equal to another exactly where both make the same connection (a
   *     record does), so that a reload leaves what did not change alone; {@link
   *     TransportOptions#secrets} names what must never be shown
   * @throws IllegalArgumentException where it cannot be used: becomes a problem of that server; the
   *     message names the place and the remedy and shows no secret
   */
  TransportOptions options(Settings settings);

  /**
   * The transport for what {@link #options} gave; opens nothing yet.
   *
   * @throws IllegalArgumentException where it cannot be made after all
   */
  Transport create(Vertx vertx, TransportOptions options);
}
