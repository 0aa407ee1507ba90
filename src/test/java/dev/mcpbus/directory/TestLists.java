package dev.mcpbus.directory;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.protocol.ProtocolException;
import io.vertx.core.buffer.Buffer;

/** What servers list, as a directory would have it, and how the bus names it. */
public record TestLists(DirectorySnapshot snapshot, AggregateSnapshot aggregate) {

  public static final TestLists NONE =
      new TestLists(DirectorySnapshot.EMPTY, AggregateSnapshot.EMPTY);

  private TestLists then(String server, DirectorySnapshot next) {
    return new TestLists(next, aggregate.with(server, next.server(server), NamePolicy.DOTTED));
  }

  /**
   * @param result of the list method
   */
  public TestLists with(String server, ListKind kind, String result) throws ProtocolException {
    DirectoryEntry present = snapshot.server(server);
    DirectoryEntry entry = present == null ? DirectoryEntry.of(new ConnectionId(server)) : present;
    ServerList list = ServerList.parse(kind, Buffer.buffer(result), 0);
    return then(server, snapshot.with(entry.with(kind, list)));
  }

  public TestLists withDown(String server) {
    DirectoryEntry present = snapshot.server(server);
    return present == null ? this : then(server, snapshot.with(present.withDown()));
  }

  public TestLists without(String server) {
    return then(server, snapshot.without(server));
  }
}
