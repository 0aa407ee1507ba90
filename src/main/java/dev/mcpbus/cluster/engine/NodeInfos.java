package dev.mcpbus.cluster.engine;

import dev.mcpbus.bus.ClusterSecret;
import dev.mcpbus.bus.WireForm;
import dev.mcpbus.cluster.signing.NodeProof;
import io.vertx.core.json.JsonObject;
import io.vertx.core.spi.cluster.NodeInfo;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this node has read of other processes of the cluster. The info of a node that has opened and
 * has proved that it has the secret does not change, and an id is never used again; so it is kept,
 * and a wrong one that another process writes later is not read. For one thread at a time.
 */
final class NodeInfos {

  private static final Logger LOG = LoggerFactory.getLogger(NodeInfos.class);

  private static final int MAX_LOGGED = 100;
  private static final int MAX_KEPT = 256;

  private final ClusterSecret secret;

  private final Map<String, NodeInfo> kept =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, NodeInfo> eldest) {
          return size() > MAX_KEPT;
        }
      };

  /** Ids of processes that claimed to be nodes without a valid proof, as logged. */
  private final Set<String> unproven = new HashSet<>();

  NodeInfos(ClusterSecret secret) {
    this.secret = secret;
  }

  /** What is kept of a node; null where it has to be read. */
  @Nullable NodeInfo known(String node) {
    return kept.get(node);
  }

  /** The info as it is to be used: without metadata of a node where that proves nothing. */
  NodeInfo read(String node, NodeInfo info) {
    JsonObject metadata = info.metadata();
    if (metadata == null || !metadata.containsKey(WireForm.METADATA)) {
      return info;
    }
    if (NodeProof.holds(secret, node, info.host(), info.port(), metadata)) {
      if (!VertxClusterMembers.isOpening(info)) {
        kept.put(node, info);
      }
      return info;
    }
    if (unproven.size() < MAX_LOGGED && unproven.add(node)) {
      LOG.warn(
          "the process at {}:{} claims to be a node and does not have the cluster's secret; it gets"
              + " no connections",
          info.host(),
          info.port());
    }
    JsonObject rest = metadata.copy();
    rest.remove(WireForm.METADATA);
    return new NodeInfo(info.host(), info.port(), rest);
  }
}
