package dev.mcpbus.hosting.credentials;

import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.transport.Authenticator;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.Future;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates with the headers that a command prints. The command runs before the first request,
 * and again when the server answers 401. Any thread may call.
 */
final class HeadersHelperAuthenticator implements Authenticator {

  private final HeadersHelper helper;
  private @Nullable Future<Map<String, Sensitive>> current;

  HeadersHelperAuthenticator(HeadersHelper helper) {
    this.helper = helper;
  }

  @Override
  public synchronized Future<Map<String, Sensitive>> headers() {
    Future<Map<String, Sensitive>> headers = current;
    if (headers == null || headers.failed()) {
      headers = run();
    }
    return headers;
  }

  private synchronized Future<Map<String, Sensitive>> run() {
    Future<Map<String, Sensitive>> running =
        helper
            .run()
            .recover(
                failure ->
                    Future.failedFuture(
                        new TransportException(
                            Reason.AUTH_REQUIRED,
                            Reached.NO,
                            String.valueOf(failure.getMessage()))));
    current = running;
    return running;
  }

  /**
   * The command does not run again where a run is in progress, or where the last run gave other
   * headers than the refused ones.
   */
  @Override
  public synchronized Future<Boolean> challenged(Challenge challenge) {
    if (challenge.status() != 401) {
      return Future.succeededFuture(false);
    }
    Future<Map<String, Sensitive>> last = current;
    boolean stale =
        last == null
            || last.failed()
            || (last.succeeded() && last.result().equals(challenge.sent()));
    return (stale ? run() : headers()).map(headers -> !headers.equals(challenge.sent()));
  }
}
