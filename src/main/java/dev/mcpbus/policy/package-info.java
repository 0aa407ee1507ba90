/**
 * May this caller do that? The bridge and the gateway share the answer.
 *
 * <ul>
 *   <li>{@link dev.mcpbus.policy.PolicyCheck}: a message to an address of the bus is which {@code
 *       Operation}? Where the caller's {@code Rights} do not permit it, it also has the answer.
 *   <li>{@link dev.mcpbus.policy.PolicyFilter}: a list, without the entries that the caller may not
 *       use.
 *   <li>{@link dev.mcpbus.policy.RecordedCalls}: the call is sent after its beginning is in the
 *       audit log, where {@code auth.audit.onFailure} wants that.
 * </ul>
 *
 * <p>Place in the walk of a call: the bridge ({@code BridgeCalls}, {@code EventBusRules}) and the
 * gateway ({@code RequestRouter}) call {@code PolicyCheck} as the last step before they send.
 * {@code security} says who the caller is and what its rights are; it knows no address of the bus,
 * and this package does. {@code directory.PermittedSearch} stands with the search, whose pages it
 * reads. All classes are stateless: any thread may call.
 */
@NullMarked
package dev.mcpbus.policy;

import org.jspecify.annotations.NullMarked;
