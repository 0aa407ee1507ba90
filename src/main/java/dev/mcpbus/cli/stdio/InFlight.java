package dev.mcpbus.cli.stdio;

import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The requests without an answer, and how many messages and bytes are on their way. Confined to the
 * bridge's context.
 */
final class InFlight {

  /** With more than this the bridge reads no further line; one longer message may go alone. */
  static final int MAX_MESSAGES = 256;

  private static final long MAX_BYTES = 64L * 1024 * 1024;

  private final Map<Long, BridgeRequest> byKey = new HashMap<>();
  private final Map<RawJson, BridgeRequest> byId = new HashMap<>();
  private int others;
  private long bytes;

  /** False if a request with that id has no answer yet. */
  boolean add(BridgeRequest request) {
    if (byId.putIfAbsent(request.id, request) != null) {
      return false;
    }
    byKey.put(request.key, request);
    bytes += request.text.length();
    return true;
  }

  /** False if the request has ended before. */
  boolean remove(BridgeRequest request) {
    if (!byKey.remove(request.key, request)) {
      return false;
    }
    byId.remove(request.id, request);
    bytes -= request.text.length();
    return true;
  }

  @Nullable BridgeRequest byKey(long key) {
    return byKey.get(key);
  }

  @Nullable BridgeRequest byId(@Nullable RawJson id) {
    return id == null ? null : byId.get(id);
  }

  List<BridgeRequest> all() {
    return List.copyOf(byKey.values());
  }

  /** A notification or an answer of the client is on its way. */
  void sent(int length) {
    others++;
    bytes += length;
  }

  void delivered(int length) {
    others--;
    bytes -= length;
  }

  boolean hasRoom() {
    return byKey.size() + others < MAX_MESSAGES && bytes < MAX_BYTES;
  }

  /** Whether no answer is awaited; a subscription has none until it ends. */
  boolean isQuiet() {
    return others <= 0
        && byKey.values().stream().allMatch(request -> request.method.equals(Methods.LISTEN));
  }
}
