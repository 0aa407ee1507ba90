/**
 * What mcpbus survives, end to end: bus call, connection, supervisor, real child process. Test
 * names begin with the number of the fault.
 *
 * <p>At the front doors: 96 to 99, 101, 103, 105, 107 to 109 are in {@code DoorFaultsTest}; 100 in
 * {@code IdleStreamFaultsIT}, {@code StuckReaderFaultsTest} and, of the gateway's responses, {@code
 * gateway.StuckReaderTest}; 102, 104, 111, 112 on every route in {@code DoorRoutesFaultsTest}, 102
 * and 110 of tokens in {@code TokenFaultsTest}, 106 in {@code CrossTalkFaultsTest}. 110 of servers
 * that want a login is in {@code OAuthFaultsIT}, 112 of one server in {@code DriftFaultsIT}. What
 * policies leave of each door: {@code DeniedLooksAbsentTest}, {@code EventBusRightsTest}.
 */
@NullMarked
package dev.mcpbus.faults;

import org.jspecify.annotations.NullMarked;
