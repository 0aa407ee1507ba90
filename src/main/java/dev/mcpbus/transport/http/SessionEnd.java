package dev.mcpbus.transport.http;

import dev.mcpbus.internals.InternalContext;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;

/**
 * Ends the session of a channel at its server: one DELETE, and at most 2 s for its answer. Owner:
 * the channel's context.
 */
final class SessionEnd {

  private static final long MAX_MILLIS = 2_000;

  private final HttpChannel channel;
  private final ConfiguredHeaders configured;

  SessionEnd(HttpChannel channel, ConfiguredHeaders configured) {
    this.channel = channel;
    this.configured = configured;
  }

  /** Never fails: a server that does not answer ends the session by itself. */
  Future<Void> run(InternalContext owner) {
    Promise<Void> done = owner.promise();
    long timer = channel.after(MAX_MILLIS, done::tryComplete);
    ChannelCredentials credentials = channel.credentials();
    Future<ConfiguredHeaders> authorized =
        credentials == null
            ? owner.succeededFuture(configured)
            : credentials.headers(HttpMethod.DELETE, channel.endpoint());
    authorized
        .compose(this::delete)
        .compose(HttpClientResponse::end)
        .onComplete(
            (nothing, failure) -> {
              channel.cancel(timer);
              done.tryComplete();
            });
    return done.future();
  }

  private Future<HttpClientResponse> delete(ConfiguredHeaders own) {
    return channel
        .request(HttpMethod.DELETE)
        .compose(
            request -> {
              channel.headers(null, request);
              own.addTo(request);
              return request.send();
            });
  }
}
