/**
 * Calls that end when a task of the server ends. MCP has two forms of tasks: in 2025-11-25 the
 * client requests a task, and {@code tasks/result} gives its result ("When the requestor encounters
 * the {@code input_required} status, it SHOULD preemptively call {@code tasks/result}", Tasks); in
 * the extension of 2026-07-28 the server decides, and {@code tasks/get} gives everything.
 *
 * <pre>
 *   ToolCallPipeline                    ServerMessages
 *         |                                   | results that are tasks,
 * +-------|-----------------------------------|  notifications of tasks ----+
 * |       v                                   v                             |
 * |  ToolCallSender --- 2025-11-25 ---> ServerTasks                         |
 * |       |                                   | one for each call           |
 * |       |                                   v                             |
 * |       |                              TaskWatch ---> TaskInputs          |
 * |       |                                   | one for each session        |
 * |       |                                   v                             |
 * |       |                              TaskPolling                        |
 * +-------|-----------------------------------|-----------------------------+
 *         v                                   v
 *      Session                     tasks/get, tasks/result, tasks/update
 * </pre>
 *
 * <p>{@code ServerTasks} and {@code TaskWatch} outlive a session, because a task belongs to the
 * server. Owner of each class: the connection's context.
 */
@NullMarked
package dev.mcpbus.connection.tasks;

import org.jspecify.annotations.NullMarked;
