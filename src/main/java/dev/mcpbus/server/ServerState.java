package dev.mcpbus.server;

/** Where a server, or one of its sessions, is in its life. */
public enum ServerState {
  /** Handlers are registered; no client can reach it. */
  CONSTRUCTED,
  /** Clients can reach it; none has finished its handshake. */
  CONNECTED,
  /** At least one client is being served. */
  RUNNING,
  /** Over for good; every client has been told. */
  CLOSED
}
