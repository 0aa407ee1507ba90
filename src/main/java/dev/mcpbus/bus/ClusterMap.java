package dev.mcpbus.bus;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.shareddata.AsyncMap;
import org.jspecify.annotations.Nullable;

/**
 * The maps that all nodes of a cluster share: all that mcpbus stores in Hazelcast. Each has one
 * backup, where it says nothing else. No other class opens a map of the cluster.
 */
public enum ClusterMap {
  /**
   * By the key of a replica its claim, {@code "<epoch> <node>"}: one for each replica of each
   * server, with two backups. The node that claims a connection writes.
   */
  OWNERS("mcpbus.owners"),

  /**
   * By server id the signed definition: one for each server, and for an hour after its removal;
   * with two backups. The node that takes an addition or a removal writes, and each at its start.
   */
  SERVERS("mcpbus.servers"),

  /**
   * By server id the signed digest of the entry that a caller removed at run time, so that files
   * which have it do not bring the server back: one for each removed server, until it is defined
   * again; with two backups. The node that takes the removal writes.
   */
  REMOVALS("mcpbus.servers.removals"),

  /**
   * By node id the number of its last message about definitions: one for each node, which writes.
   */
  CHANGES("mcpbus.servers.changes"),

  /**
   * By {@code "<server id> <node id>"} why the node cannot run the server: at most one for each
   * pair. The node writes its own; others remove those of a node that has left.
   */
  REFUSALS("mcpbus.refusals"),

  /**
   * By session id the facts of a gateway session, JSON: {@code gateway.maxSessions} for each node,
   * for twice the idle time. The session's host writes.
   */
  SESSIONS("mcpbus.sessions"),

  /**
   * By the key of a client of the {@code discover} era the session host that has it: as many as the
   * hosts keep clients, for twice the idle time. The host writes.
   */
  CLIENTS("mcpbus.clients"),

  /**
   * By the key of OAuth settings the sealed tokens: one for each settings. The node that has
   * obtained or renewed them writes. By {@code "principal <name> <what>"} what a principal has
   * stored, sealed too: 1,000 secrets for each at most. The node that was asked writes.
   */
  TOKENS("mcpbus.tokens"),

  /** By the same key the node that is renewing: an entry lasts 60 s. That node writes. */
  TOKEN_FLIGHTS("mcpbus.token-flights"),

  /**
   * By the hash of what may be used once the word {@code true}: an entry lasts as long as what it
   * stands for could be used. At most 200,000 for each node, which writes as it uses.
   */
  USED("mcpbus.used"),

  /**
   * By the code that a device shows what it asks for, sealed: up to 1,000 of each node, each for
   * ten minutes. The node that the device or its person asks writes.
   */
  DEVICES("mcpbus.devices"),

  /** The id that all nodes share: one entry. The first node writes. */
  INSTANCE("mcpbus.instance");

  /**
   * With this an entry of {@link #SERVERS} ends after a removal; a definition ends with a brace.
   */
  public static final String REMOVED = "removed";

  /** The name in Hazelcast. */
  public final String key;

  ClusterMap(String key) {
    this.key = key;
  }

  /** The map; without a cluster one of this Vert.x alone. */
  public <V> Future<AsyncMap<String, V>> of(Vertx vertx) {
    return vertx.sharedData().getAsyncMap(key);
  }

  /** Whether an entry of {@link #SERVERS} defines a server; null for no entry. */
  public static boolean isDefinition(@Nullable String entry) {
    return entry != null && !entry.endsWith(REMOVED);
  }
}
