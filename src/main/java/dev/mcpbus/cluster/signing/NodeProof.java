package dev.mcpbus.cluster.signing;

import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.bus.WireForm;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * Proves that a process of the cluster is a node: what it says of itself in the metadata of its
 * event bus, {@link WireForm#METADATA}, with its id and the address of its bus. A process without
 * it is no node: it gets no connections, and no other node goes by the {@link WireForm} forms that
 * it names.
 */
public final class NodeProof {

  private static final String PROOF = "proof";
  private static final String PURPOSE = "nodes";

  private NodeProof() {}

  /**
   * The same metadata with the proof.
   *
   * @param host and port of its event bus
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

  /** Whether that node itself has said this. */
  public static boolean holds(
      ClusterSecret secret, String node, String host, int port, JsonObject metadata) {
    return metadata.getValue(WireForm.METADATA) instanceof JsonObject own
        && own.getValue(PROOF) instanceof String proof
        && secret.isProof(proof, PURPOSE, node, host, Integer.toString(port), text(own));
  }

  /** As it is after it was written and read once. */
  private static String text(JsonObject own) {
    JsonObject plain = new JsonObject(own.encode());
    plain.remove(PROOF);
    return plain.encode();
  }
}
