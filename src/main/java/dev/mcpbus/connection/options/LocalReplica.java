package dev.mcpbus.connection.options;

import dev.mcpbus.bus.ReplicaId;

/**
 * One of several connections of a server on the same node.
 *
 * @param id which one it is
 * @param role makes its role
 */
public record LocalReplica(ReplicaId id, ReplicaRole.RoleFactory role) {}
