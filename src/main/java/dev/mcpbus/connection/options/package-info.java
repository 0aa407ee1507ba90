/**
 * What configuration and hosting say about a connection, and the three seams behind which others
 * stand: {@code Ownership} (may this connection serve?) and {@code ReplicaRole} (which of several
 * replicas answers?), which the cluster implements, and {@code PinStore} (where are pins kept?),
 * which hosting implements. Records are immutable; the seams name their threads. Other packages see
 * this sub-package and the parent alone.
 */
@NullMarked
package dev.mcpbus.connection.options;

import org.jspecify.annotations.NullMarked;
