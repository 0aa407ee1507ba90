/**
 * One session of a connection: both eras, the requests that wait, what comes in from the server.
 * Owner of each class: the connection's context.
 */
@NullMarked
package dev.mcpbus.connection.session;

import org.jspecify.annotations.NullMarked;
