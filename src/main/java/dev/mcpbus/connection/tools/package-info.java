/**
 * The tools of a server: the list, drift and pins, and the checks of a call before it is sent.
 *
 * <pre>
 *      Mailbox                     ToolListRefresh, HealthCheck, callers
 *         | tools.call                      | load
 * +-------|---------------------------------|-----------------------------+
 * |       v                                 v                             |
 * |  ToolCallPipeline --- may it? ---> SessionTools ---> ToolTable        |
 * |       |        valid? (ToolTable)        | each complete list         |
 * |       |                                  v                            |
 * |       |                             DriftWatch ---> DefinitionPins    |
 * |       |                                  |  ToolDefinitions: hashes   |
 * |       |                                  |  SchemaDrift: differences  |
 * +-------|----------------------------------|----------------------------+
 *         v                                  v
 *  tasks.ToolCallSender                event schemaDrift
 * </pre>
 *
 * <p>{@code SessionTools} and {@code ToolTable} belong to one session; {@code DriftWatch} and
 * {@code DefinitionPins} outlive sessions. Owner of each class: the connection's context; workers
 * read and hash long lists.
 */
@NullMarked
package dev.mcpbus.connection.tools;

import org.jspecify.annotations.NullMarked;
