package dev.mcpbus.cli;

import java.net.URI;

/**
 * A mcpbus inside this process, started for one command: on a free port of the loopback interface,
 * open for one random admin key alone. Any thread may call.
 */
public interface LocalService extends AutoCloseable {

  /** For example {@code http://127.0.0.1:43211}. */
  URI url();

  /** The admin key, for {@code Authorization: Bearer}; never printed. */
  String token();

  /** Stops the servers and the service; blocks for 10 s at most. */
  @Override
  void close();
}
