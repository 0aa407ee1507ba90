package dev.mcpbus.bus;

import org.jspecify.annotations.Nullable;

/**
 * What telemetry needs to know of a connection. Its methods give the state of this moment, or of
 * one just before; any thread may call them.
 */
public interface ConnectionFacts {

  /** The server's id, also for a private connection to it. */
  String server();

  /** True for the connection that all callers share. */
  boolean isShared();

  /** Whose connection it is, where the server acts for its callers; null for the others. */
  @Nullable String principal();

  /** The kind of transport, such as {@code stdio} or {@code http}. */
  String transport();

  /** The place of the server, a URL where it is one, without secrets. */
  String place();

  ConnectionState state();

  /** The number of requests that wait for the server. */
  int inFlight();

  /** The number of calls that wait for a session. */
  int waiting();

  /** The number of its circuit breakers that are not closed. */
  int openBreakers();
}
