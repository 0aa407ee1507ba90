package dev.mcpbus.directory;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.SealedTaskIds;
import dev.mcpbus.security.AccessControl;
import dev.mcpbus.security.AccessPolicy;
import dev.mcpbus.security.Audit;
import dev.mcpbus.security.Principal;
import dev.mcpbus.security.Rights;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the {@link DirectoryVerticle} knows, for readers on any thread of this node: one reference
 * to an immutable snapshot, which that verticle alone replaces.
 */
public final class Directory {

  private static final DeliveryOptions LOCAL = new DeliveryOptions().setLocalOnly(true);

  private final Map<String, ViewOptions> views;
  private final AccessControl access;
  private final SealedTaskIds taskIds;
  private volatile DirectorySnapshot snapshot = DirectorySnapshot.EMPTY;

  /**
   * @param views of which clients may see a selection, by their names
   */
  public Directory(Map<String, ViewOptions> views, AccessControl access, SealedTaskIds taskIds) {
    this.views = Map.copyOf(views);
    this.access = access;
    this.taskIds = taskIds;
  }

  /** For programs alone: without views, and without login. */
  public Directory(Vertx vertx) {
    this(Map.of(), AccessControl.open(), SealedTaskIds.of(vertx));
  }

  public Audit audit() {
    return access.audit();
  }

  public SealedTaskIds taskIds() {
    return taskIds;
  }

  /** True where a server of the view makes tasks of calls. */
  public boolean hasTasks(DirectoryView view) {
    return snapshot.servers().stream()
        .anyMatch(server -> server.tasks() && view.includes(server.id().value()));
  }

  public DirectorySnapshot snapshot() {
    return snapshot;
  }

  /** For the owner alone. */
  void become(DirectorySnapshot next) {
    snapshot = next;
  }

  /** The rights that a principal has now: the same object as long as they are the same. */
  public Rights rights(Principal principal) {
    return access.rights(principal);
  }

  /**
   * The view of a path behind {@code /mcp/}; null where there is none for him. A view hides a
   * server.
   */
  public @Nullable DirectoryView view(String name, Principal principal) {
    Rights rights = access.rights(principal);
    if (name.isEmpty()) {
      return DirectoryView.all(rights);
    }
    ViewOptions view = views.get(name);
    if (view != null) {
      return AccessPolicy.matches(view.principals(), principal)
          ? new DirectoryView(name, false, view, rights)
          : null;
    }
    return snapshot.server(name) == null || !rights.sees(name)
        ? null
        : DirectoryView.ofServer(name, rights);
  }

  /** Reads again which servers there are. */
  public Future<Void> refresh(Vertx vertx) {
    return vertx
        .eventBus()
        .request(Addresses.GATEWAY_DIRECTORY, new JsonObject().put("read", true), LOCAL)
        .mapEmpty();
  }

  /** What servers there are, as soon as that is known. */
  public Future<DirectorySnapshot> ready(Vertx vertx) {
    DirectorySnapshot now = snapshot;
    return now == DirectorySnapshot.EMPTY
        ? ask(vertx, List.of(), List.of())
        : Future.succeededFuture(now);
  }

  /**
   * What the view's servers list of {@code kinds}, asked for where it is not known or no longer
   * fresh. Waits a moment for servers that answer slowly, then goes without them.
   */
  public Future<DirectorySnapshot> ready(
      Vertx vertx, DirectoryView view, Collection<ListKind> kinds) {
    DirectorySnapshot now = snapshot;
    if (now != DirectorySnapshot.EMPTY && isReady(now, view, kinds)) {
      return Future.succeededFuture(now);
    }
    return ask(vertx, kinds, view.options().servers());
  }

  private Future<DirectorySnapshot> ask(Vertx vertx, Collection<ListKind> kinds, List<String> ids) {
    JsonArray wanted = new JsonArray();
    kinds.forEach(kind -> wanted.add(kind.name()));
    JsonArray servers = new JsonArray();
    ids.forEach(servers::add);
    return vertx
        .eventBus()
        .request(
            Addresses.GATEWAY_DIRECTORY,
            new JsonObject().put("kinds", wanted).put("servers", servers),
            LOCAL)
        .map(asked -> snapshot)
        .recover(failure -> Future.failedFuture(McpFailure.of(failure)));
  }

  /** The view's servers are known, and which of them are down. */
  private static boolean isReady(
      DirectorySnapshot snapshot, DirectoryView view, Collection<ListKind> kinds) {
    long now = System.nanoTime();
    for (DirectoryEntry server : snapshot.servers()) {
      if (!view.includes(server.id().value())) {
        continue;
      }
      for (ListKind kind : kinds) {
        if (!server.isCurrent(kind, now)) {
          return false;
        }
      }
    }
    return true;
  }
}
