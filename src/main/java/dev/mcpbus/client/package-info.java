/**
 * The Java facade: a verticle calls tools, reads lists, subscribes to events and answers questions
 * with typed methods in place of bus messages. It knows the contract of {@code bus} alone, so it
 * works in any process of the cluster. Any thread may call; futures complete on the caller's
 * context.
 */
@NullMarked
package dev.mcpbus.client;

import org.jspecify.annotations.NullMarked;
