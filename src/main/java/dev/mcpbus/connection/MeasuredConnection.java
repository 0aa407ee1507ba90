package dev.mcpbus.connection;

import dev.mcpbus.bus.ConnectionFacts;
import dev.mcpbus.bus.ConnectionState;
import dev.mcpbus.connection.options.ConnectionSpec;
import dev.mcpbus.connection.options.PrivateConnection;
import dev.mcpbus.connection.session.CallBreaker;
import dev.mcpbus.connection.session.Session;
import org.jspecify.annotations.Nullable;

/**
 * What telemetry may know of a connection. Each method looks at one field that the connection's
 * context writes, so any thread may call it.
 */
record MeasuredConnection(ConnectionSpec spec, ConnectionStateHolder connection, Mailbox mailbox)
    implements ConnectionFacts {

  @Override
  public String server() {
    PrivateConnection own = spec.privateConnection();
    return (own == null ? spec.id() : own.of()).value();
  }

  @Override
  public boolean isShared() {
    return spec.privateConnection() == null;
  }

  @Override
  public @Nullable String principal() {
    PrivateConnection own = spec.privateConnection();
    return own == null ? null : own.principal();
  }

  @Override
  public String transport() {
    return spec.transport().type();
  }

  @Override
  public String place() {
    return spec.transport().target();
  }

  @Override
  public ConnectionState state() {
    return connection.state();
  }

  @Override
  public int inFlight() {
    Session now = connection.session();
    return now == null ? 0 : now.pendingCalls();
  }

  @Override
  public int openBreakers() {
    CallBreaker breaker = connection.breaker();
    return breaker == null ? 0 : breaker.open();
  }

  @Override
  public int waiting() {
    return mailbox.waiting();
  }
}
