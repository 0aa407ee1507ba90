/**
 * The adapter to Hazelcast: starts a clustered Vert.x with time-outs that fit a gateway. No other
 * package uses Hazelcast's classes. Hazelcast's threads call in here and never go further.
 *
 * <p>Some classes use internal classes of Hazelcast and Vert.x, which an upgrade may change. These
 * tests fail then:
 *
 * <ul>
 *   <li>{@code LiveNodeSelector}: {@code LiveNodeSelectorTest}
 *   <li>{@code PartitionPromotion}: {@code PartitionPromotionTest}
 *   <li>{@code RefreshingClusterManager}, {@code AddressWithdrawal}: {@code
 *       RefreshingClusterManagerIT}
 *   <li>{@code StuckOperationCleaner}: {@code StuckOperationCleanerTest}
 *   <li>{@code ExceptionReporter}: {@code ExceptionReporterTest}
 *   <li>{@code HazelcastCluster}, {@code EngineNodes}, {@code EventBusProbe}, {@code
 *       WireCompatibility}: {@code HazelcastClusterIT}, {@code MixedVersionsIT}
 *   <li>{@code VertxClusterMembers}: {@code VertxClusterMembersTest}
 * </ul>
 */
@NullMarked
package dev.mcpbus.cluster.engine;

import org.jspecify.annotations.NullMarked;
