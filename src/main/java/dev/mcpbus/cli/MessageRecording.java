package dev.mcpbus.cli;

import dev.mcpbus.bus.McpBusVersion;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes lines of the messages of a connection: each request without its {@code _meta}, with the
 * notifications that came before its answer, and the answer. Any thread may call.
 */
final class MessageRecording {

  private static final long PATIENCE_SECONDS = 60;

  private final Map<Object, JsonObject> open = new LinkedHashMap<>();
  private final List<JsonObject> answered = new ArrayList<>();
  private final List<String> cut = new ArrayList<>();
  private final CountDownLatch ping = new CountDownLatch(1);

  /**
   * @param shown a message of the RPC log: {@code direction} and {@code message}, masked
   */
  synchronized void add(JsonObject shown) {
    JsonObject message;
    try {
      message = new JsonObject(shown.getString("message", ""));
    } catch (DecodeException e) {
      cut.add("a message that the RPC log has cut");
      return;
    }
    Object id = message.getValue("id");
    String method = message.getString("method");
    boolean sent = "sent".equals(shown.getString("direction"));
    if (sent && method != null && id != null) {
      JsonObject params = message.getJsonObject("params", new JsonObject());
      params.remove("_meta");
      open.put(id, new JsonObject().put("method", method).put("params", params));
    } else if (!sent && method == null && id != null) {
      answer(open.remove(id), message);
    } else if (!sent && id == null && open.size() == 1) {
      JsonObject request = open.values().iterator().next();
      JsonArray before = request.getJsonArray("notifications", new JsonArray());
      message.remove("jsonrpc");
      request.put("notifications", before.add(message));
    }
  }

  private void answer(@Nullable JsonObject request, JsonObject message) {
    if (request == null) {
      return;
    }
    String kind = message.containsKey("error") ? "error" : "result";
    if (request.getString("method").equals("ping")) {
      ping.countDown();
    } else {
      answered.add(request.put(kind, message.getValue(kind)));
    }
  }

  /** Waits until all that was sent before a ping is recorded. */
  void awaitPing() {
    try {
      if (!ping.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new CommandFailure(
            ExitCode.UNEXPECTED, "NOT_RECORDED", "the RPC log does not show the last messages");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailure(ExitCode.INTERRUPTED, "CANCELLED", "interrupted");
    }
  }

  synchronized int size() {
    return answered.size();
  }

  /** What came, and is not in the recording. */
  synchronized List<String> problems() {
    List<String> all = new ArrayList<>(cut);
    open.values()
        .forEach(
            request ->
                all.add(
                    "an answer to " + request.getString("method") + request.getValue("params")));
    return all;
  }

  /** The whole file. */
  synchronized String lines() {
    StringBuilder lines = new StringBuilder();
    lines
        .append(
            new JsonObject()
                .put("recording", 1)
                .put("by", "mcpbus " + McpBusVersion.current())
                .put("at", Instant.now().toString())
                .encode())
        .append('\n');
    answered.forEach(each -> lines.append(each.encode()).append('\n'));
    return lines.toString();
  }
}
