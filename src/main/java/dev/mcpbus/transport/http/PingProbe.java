package dev.mcpbus.transport.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One {@code ping} beside the messages of the channel, of which only the status of the answer
 * counts: its id is a text, so it is no id of the session. Confined to the owner context.
 */
final class PingProbe {

  private static final Buffer PING =
      Buffer.buffer("{\"jsonrpc\":\"2.0\",\"id\":\"mcpbus-probe\",\"method\":\"ping\"}");

  private final HttpChannel channel;
  private final RequestAuthorization authorization;
  private final IntConsumer answered;
  private @Nullable HttpClientRequest request;
  private boolean stopped;

  /**
   * @param answered gets the status as soon as the head of the answer is there; never called if
   *     none comes, or after {@link #stop()}
   */
  PingProbe(HttpChannel channel, IntConsumer answered) {
    this.channel = channel;
    this.authorization = new RequestAuthorization(channel.credentials());
    this.answered = answered;
  }

  void start() {
    authorization.obtain(HttpMethod.POST, channel.endpoint(), this::connect, why -> {});
  }

  private void connect() {
    channel
        .request(HttpMethod.POST)
        .onSuccess(
            created -> {
              if (stopped) {
                HttpConventions.giveBack(created);
              } else {
                post(created);
              }
            });
  }

  private void post(HttpClientRequest created) {
    request = created;
    channel.headers(null, created);
    authorization.addTo(created);
    created.putHeader(HttpHeaders.ACCEPT, HttpConventions.POST_ACCEPTS);
    created.putHeader(HttpHeaders.CONTENT_TYPE, HttpConventions.JSON);
    created
        .send(PING.copy())
        .onSuccess(
            response -> {
              HttpConventions.drain(response);
              if (!stopped) {
                stopped = true;
                answered.accept(response.statusCode());
              }
            });
  }

  void stop() {
    HttpClientRequest current = request;
    if (!stopped && current != null) {
      current.reset();
    }
    stopped = true;
  }
}
