package dev.mcpbus.cluster.engine;

import dev.mcpbus.bus.Addresses;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.spi.cluster.RegistrationInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The connections of this node in the cluster's registrations: one entry, {@code mcp.<id>}, stands
 * for all addresses that a connection serves ({@link Addresses#SERVED}). Nodes look for that entry
 * ({@link #entryOf}), whichever of the addresses they send to.
 *
 * <p>A process of plain Vert.x looks for the whole address. So while {@link #plainCallers} is set,
 * each address is an entry of its own as well.
 *
 * <p>The entry is there from the first of the addresses to the last: a connection registers them in
 * one go, and the bus has them all locally before the first one is in the cluster. Any thread may
 * call.
 */
final class ConnectionEntries {

  /** Writes to the cluster's registrations. */
  interface Table {
    void add(String address, RegistrationInfo info, Completable<Void> done);

    void remove(String address, RegistrationInfo info, Completable<Void> done);
  }

  private record OwnRegistration(String address, RegistrationInfo info) {}

  private static final class ConnectionEntry {

    /** What the cluster has of the connection. */
    private final RegistrationInfo info;

    private final Future<Void> written;
    private final Set<OwnRegistration> registrations = new LinkedHashSet<>();
    private boolean withdrawn;

    ConnectionEntry(RegistrationInfo info, Future<Void> written) {
      this.info = info;
      this.written = written;
    }
  }

  private final Table table;

  /** By {@code mcp.<id>}. Guarded by this. */
  private final Map<String, ConnectionEntry> entries = new HashMap<>();

  private boolean plainCallers;

  ConnectionEntries(Table table) {
    this.table = table;
  }

  /** The entry in which nodes look for an address: that of its connection, else its own. */
  static String entryOf(String address) {
    String connection = Addresses.connection(address);
    return connection == null ? address : connection;
  }

  /** Completes when the cluster has the entry, and while there are plain callers the address. */
  void add(String address, RegistrationInfo info, Completable<Void> done) {
    String key = Addresses.connection(address);
    if (key == null || info.localOnly()) {
      table.add(entryOf(address), info, done);
      return;
    }
    ConnectionEntry entry;
    boolean each;
    synchronized (this) {
      ConnectionEntry known = entries.get(key);
      entry = known == null || known.withdrawn ? begin(key, info) : known;
      entry.registrations.add(new OwnRegistration(address, info));
      each = plainCallers;
    }
    if (each) {
      Future.join(entry.written, write(address, info)).<Void>mapEmpty().onComplete(done);
    } else {
      entry.written.onComplete(done);
    }
  }

  private ConnectionEntry begin(String key, RegistrationInfo first) {
    Promise<Void> written = Promise.promise();
    ConnectionEntry entry = new ConnectionEntry(first, written.future());
    entries.put(key, entry);
    table.add(key, first, written);
    return entry;
  }

  private Future<Void> write(String address, RegistrationInfo info) {
    Promise<Void> written = Promise.promise();
    table.add(address, info, written);
    return written.future();
  }

  private Future<Void> erase(String address, RegistrationInfo info) {
    Promise<Void> erased = Promise.promise();
    table.remove(address, info, erased);
    return erased.future();
  }

  /** Completes when the cluster does not have the address any more. */
  void remove(String address, RegistrationInfo info, Completable<Void> done) {
    String key = Addresses.connection(address);
    if (key == null || info.localOnly()) {
      table.remove(entryOf(address), info, done);
      return;
    }
    List<Future<Void>> steps = new ArrayList<>();
    synchronized (this) {
      ConnectionEntry entry = entries.get(key);
      if (entry != null
          && entry.registrations.remove(new OwnRegistration(address, info))
          && entry.registrations.isEmpty()) {
        entries.remove(key);
        steps.add(erase(key, entry.info));
      }
      if (plainCallers) {
        steps.add(erase(address, info));
      }
    }
    Future.join(steps).<Void>mapEmpty().onComplete(done);
  }

  /**
   * Takes the addresses of connections from the cluster, while this node goes on to receive there.
   *
   * @return completes when they are gone; fails where the cluster could not be written
   */
  Future<Void> withdraw(Collection<String> addresses) {
    Set<String> keys =
        addresses.stream().map(ConnectionEntries::entryOf).collect(Collectors.toSet());
    List<Future<Void>> steps = new ArrayList<>();
    synchronized (this) {
      for (String key : keys) {
        ConnectionEntry entry = entries.get(key);
        if (entry != null && !entry.withdrawn) {
          entry.withdrawn = true;
          steps.add(erase(key, entry.info));
          if (plainCallers) {
            entry.registrations.forEach(one -> steps.add(erase(one.address(), one.info())));
          }
        }
      }
    }
    return Future.join(steps).mapEmpty();
  }

  /**
   * Sets whether each address is an entry of its own as well.
   *
   * @return completes when all of them are written, or removed
   */
  Future<Void> plainCallers(boolean there) {
    List<Future<Void>> steps = new ArrayList<>();
    synchronized (this) {
      if (plainCallers == there) {
        return Future.succeededFuture();
      }
      plainCallers = there;
      for (ConnectionEntry entry : entries.values()) {
        for (OwnRegistration one :
            entry.withdrawn ? Set.<OwnRegistration>of() : entry.registrations) {
          steps.add(there ? write(one.address(), one.info()) : erase(one.address(), one.info()));
        }
      }
    }
    return Future.join(steps).mapEmpty();
  }
}
