package dev.mcpbus.input;

import dev.mcpbus.bus.Requester;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * The seam to questions and offers on other nodes. {@link LocalInputs} is for one node; a cluster
 * has an implementation that sends requests to all nodes. Confined to the context of {@link
 * InputVerticle}.
 */
public interface InputPeers {

  /** The questions and offers of this node. */
  interface NodeInputs {

    JsonArray pending(@Nullable Requester requester, @Nullable String server);

    boolean holds(@Nullable Requester requester, String question);

    /** Fails as {@code mcp.input.respond} does, by an exception. */
    JsonObject respond(@Nullable Requester requester, JsonObject body);

    JsonArray offers();

    /** Adds offers that another node sent: {@code {offer, capabilities, principal?, id?, ttl?}}. */
    void offered(JsonArray offers);

    void withdrawn(@Nullable Requester requester, String offer);
  }

  /** Creates the seam, on the verticle's context. */
  @FunctionalInterface
  interface PeersFactory {
    InputPeers create(NodeInputs ownInputs);
  }

  /** Completes when this node can serve other nodes; their offers arrive later. */
  Future<Void> open();

  /** Fetches the offers of all other nodes: at the start, and after nodes have joined or merged. */
  void learn();

  /** The questions of all nodes, the oldest first. */
  Future<JsonArray> pending(@Nullable Requester requester, @Nullable String server);

  /** Answers a question on the node where it is parked. */
  Future<JsonObject> respond(@Nullable Requester requester, String question, JsonObject body);

  /** Sends an offer to the other nodes. */
  void tell(@Nullable Requester requester, JsonObject offer);

  void tellWithdrawn(@Nullable Requester requester, String offer);
}
