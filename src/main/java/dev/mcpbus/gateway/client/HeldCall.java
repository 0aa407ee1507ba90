package dev.mcpbus.gateway.client;

import dev.mcpbus.bus.ClientAnswer;
import dev.mcpbus.bus.ServerNotice;
import dev.mcpbus.gateway.client.OpenQuestions.Question;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/**
 * A call in flight, as its {@link GatewayClient} sees it: a {@link SessionCall} of the {@code
 * initialize} era or a {@link ParkedCall} of the {@code discover} era. Confined to the host's
 * context.
 */
interface HeldCall {

  String callId();

  /** Whether it was sent to that connection. */
  boolean isAt(String connection);

  /** Whether its client waits for it; a call that does not can make room for others. */
  boolean isInUse();

  /** Progress or a log message of this call. */
  void reported(String method, RawJson params);

  /** Whether what a server sends, and no call in flight is named in, is for it. */
  default boolean hears(ServerNotice event) {
    return true;
  }

  /**
   * A private connection sends what is for it.
   *
   * @param method of the notification
   */
  void heard(ServerNotice event, String method);

  /** Asks its client; fails where it does not offer to answer. */
  Future<ClientAnswer> ask(Question question);

  /** Whether it is open and its client offers with it to answer a question. */
  default boolean isAskable(String method, RawJson params) {
    return false;
  }

  /** How many questions wait in it. */
  default int questions() {
    return 0;
  }

  /** The client's id of the task that it asks about; null for none. */
  default @Nullable String taskId() {
    return null;
  }

  /** The server reports that the user is done at a URL. */
  default void opened(RawJson params) {}

  /** Its connection ends. Idempotent. */
  void cancel();

  /** Its client ends. */
  void clientEnds();
}
