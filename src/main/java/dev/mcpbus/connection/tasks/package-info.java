/** Calls that end when a task of the server does. Owner of each class: the connection's context. */
@NullMarked
package dev.mcpbus.connection.tasks;

import org.jspecify.annotations.NullMarked;
