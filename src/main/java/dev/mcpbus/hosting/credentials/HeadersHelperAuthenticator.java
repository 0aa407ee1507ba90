package dev.mcpbus.hosting.credentials;

import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.HeadersHelper;
import dev.mcpbus.transport.Authenticator;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reason;
import dev.mcpbus.transport.TransportException.Sent;
import io.vertx.core.Future;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The headers that a command prints: had once, and again when the server answers 401. */
final class HeadersHelperAuthenticator implements Authenticator {

  private final HeadersHelper helper;
  private @Nullable Future<Map<String, Sensitive>> current;

  HeadersHelperAuthenticator(HeadersHelper helper) {
    this.helper = helper;
  }

  @Override
  public synchronized Future<Map<String, Sensitive>> headers() {
    Future<Map<String, Sensitive>> known = current;
    if (known == null || known.failed()) {
      known = run();
    }
    return known;
  }

  private synchronized Future<Map<String, Sensitive>> run() {
    Future<Map<String, Sensitive>> running =
        helper
            .run()
            .recover(
                failure ->
                    Future.failedFuture(
                        new TransportException(
                            Reason.AUTH_REQUIRED, Sent.NO, String.valueOf(failure.getMessage()))));
    current = running;
    return running;
  }

  /** A run that is under way, or that gave other headers than were refused, is enough. */
  @Override
  public synchronized Future<Boolean> challenged(Challenge challenge) {
    if (challenge.status() != 401) {
      return Future.succeededFuture(false);
    }
    Future<Map<String, Sensitive>> known = current;
    boolean stale =
        known == null
            || known.failed()
            || (known.succeeded() && known.result().equals(challenge.sent()));
    return (stale ? run() : headers()).map(headers -> !headers.equals(challenge.sent()));
  }
}
