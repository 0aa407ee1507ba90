/**
 * Three processes of the service as a cluster, faults on purpose, and a check of everything that
 * was written down meanwhile. Run by {@code src/scripts/cluster-faults}.
 */
package dev.mcpbus.clusterfaults;
