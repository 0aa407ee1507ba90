package dev.mcpbus.input;

import dev.mcpbus.bus.Requester;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * The seam to what other nodes have of questions and offers. On one node alone it gives what this
 * one has; a cluster asks all nodes. Owner: the context of {@link InputVerticle}.
 */
public interface InputPeers {

  /** What this node has. */
  interface Here {

    JsonArray pending(@Nullable Requester who, @Nullable String server);

    boolean holds(@Nullable Requester who, String question);

    /** Throws what {@code mcp.input.respond} fails with. */
    JsonObject respond(@Nullable Requester who, JsonObject body);

    JsonArray offers();

    /** Another node was told of these: {@code {offer, capabilities, principal?, id?, ttl}}. */
    void offered(JsonArray offers);

    void withdrawn(@Nullable Requester who, String offer);
  }

  /** Makes the seam, on the verticle's context. */
  @FunctionalInterface
  interface Factory {
    InputPeers create(Here here);
  }

  /** Completes when other nodes can ask; what they have of offers arrives a moment later. */
  Future<Void> open();

  /** Asks for all offers of the other nodes: at the start, and when nodes have met again. */
  void learn();

  /** The questions of all nodes, the oldest first. */
  Future<JsonArray> pending(@Nullable Requester who, @Nullable String server);

  /** Answers a question wherever it waits. */
  Future<JsonObject> respond(@Nullable Requester who, String question, JsonObject body);

  /** Tells the other nodes of an offer. */
  void tell(@Nullable Requester who, JsonObject offer);

  void tellWithdrawn(@Nullable Requester who, String offer);
}
