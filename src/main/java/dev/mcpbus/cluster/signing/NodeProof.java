package dev.mcpbus.cluster.signing;

import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.bus.WireForm;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * Proves that a process of the cluster is a node. The proof covers its metadata on the event bus
 * ({@link WireForm#METADATA}), its id and its bus address. A process without it is no node: it gets
 * no connections, and no other node goes by the {@link WireForm} forms that it names. Pure
 * functions.
 */
public final class NodeProof {

  private static final String PROOF = "proof";
  private static final String PURPOSE = "nodes";

  private NodeProof() {}

  /**
   * Adds the proof to the metadata.
   *
   * @param host the host of its event bus
   * @param port the port of its event bus
   */
  public static @Nullable JsonObject sign(
      ClusterSecret secret, String node, String host, int port, @Nullable JsonObject metadata) {
    JsonObject own = metadata == null ? null : metadata.getJsonObject(WireForm.METADATA);
    if (metadata == null || own == null) {
      return metadata;
    }
    JsonObject signed = own.copy();
    signed.put(PROOF, secret.proof(PURPOSE, node, host, Integer.toString(port), text(own)));
    return metadata.copy().put(WireForm.METADATA, signed);
  }

  /** Whether the metadata has a valid proof of that node. */
  public static boolean holds(
      ClusterSecret secret, String node, String host, int port, JsonObject metadata) {
    return metadata.getValue(WireForm.METADATA) instanceof JsonObject own
        && own.getValue(PROOF) instanceof String proof
        && secret.isProof(proof, PURPOSE, node, host, Integer.toString(port), text(own));
  }

  /** The text that both sides sign: the JSON after one writing and reading. */
  private static String text(JsonObject own) {
    JsonObject plain = new JsonObject(own.encode());
    plain.remove(PROOF);
    return plain.encode();
  }
}
