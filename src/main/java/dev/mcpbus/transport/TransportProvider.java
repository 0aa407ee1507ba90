package dev.mcpbus.transport;

import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A kind of transport that is not built in. {@link java.util.ServiceLoader} finds it; a server's
 * entry selects it by {@code "type"}, or by the scheme of its {@code "url"}. Needs a public
 * constructor without parameters. Any thread may call its methods.
 */
@PublicApi
public interface TransportProvider {

  /**
   * The contents of an entry, with its variables replaced.
   *
   * @param url as written, null if the entry has none
   * @param options the object {@code "options"} of the entry, empty if it has none
   * @param limits bounds of one message
   * @param connectTimeout for the connection
   */
  record Settings(
      @Nullable String url, JsonObject options, ParseLimits limits, Duration connectTimeout) {

    /** Omits everything that may hold a secret. */
    @Override
    public String toString() {
      return "settings of a transport";
    }
  }

  /** The {@code type} of an entry: lower case, different from all built-in types. */
  String type();

  /**
   * URL schemes that select this type if an entry has no {@code type}, in lower case; the schemes
   * of the built-in transports are reserved.
   */
  default Set<String> schemes() {
    return Set.of();
  }

  /**
   * Reads and checks an entry; opens nothing.
   *
   * @return options of this {@link #type}. They must be equal exactly if they lead to the same
   *     connection (a record fulfils that), so that a reload keeps unchanged servers running.
   *     {@link TransportOptions#secrets} returns what must never be shown
   * @throws IllegalArgumentException if the entry is not valid; mcpbus reports it as a problem of
   *     that server. The message names the place and the remedy and shows no secret
   */
  TransportOptions options(Settings settings);

  /**
   * Creates the transport for the result of {@link #options}; opens nothing yet.
   *
   * @throws IllegalArgumentException if the transport cannot be created
   */
  Transport create(Vertx vertx, TransportOptions options);
}
