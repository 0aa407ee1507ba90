package dev.mcpbus.directory.aggregate;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallerFacts;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.InvalidServers;
import dev.mcpbus.bus.JsonReplies;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.bus.Requester;
import dev.mcpbus.directory.AggregateList;
import dev.mcpbus.directory.AggregateSnapshot;
import dev.mcpbus.directory.DirectoryEntry;
import dev.mcpbus.directory.DirectoryLists;
import dev.mcpbus.directory.DirectoryService;
import dev.mcpbus.directory.SearchRequest;
import dev.mcpbus.directory.search.ToolSearch;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Serves the aggregate addresses from the directory: {@code mcp.tools.list}, {@code
 * mcp.tools.call}, {@code mcp.tools.search}, {@code mcp.tools.describe}, {@code
 * mcp.resources.list}, {@code mcp.prompts.list}, {@code mcp.skills.list}, {@code mcp.skills.read}.
 *
 * <p>A list waits a moment for connected servers that have not listed yet, and never for other
 * servers. Confined to the context of the directory's verticle.
 */
public final class AggregateService implements DirectoryService {

  private static final DeliveryOptions LOCAL = new DeliveryOptions().setLocalOnly(true);

  /** Callers whose aggregate is kept, until a list changes. */
  private static final int MAX_CALLERS = 100;

  private record OwnAggregate(
      AggregateSnapshot common, Map<String, DirectoryEntry> own, AggregateSnapshot seen) {}

  /** Indexes of single callers: each has the tools of all, too. */
  private static final int MAX_SEARCHES = 16;

  private final Map<CallerFacts, ToolSearch> searches = new LinkedHashMap<>(16, 0.75f, true);
  private final Map<CallerFacts, OwnAggregate> ofCallers = new HashMap<>();
  private final NamePolicy names;
  private final boolean searched;
  private final Map<ListKind, CachedReply> replies = new EnumMap<>(ListKind.class);
  private AggregateSnapshot aggregate = AggregateSnapshot.EMPTY;

  // Set once in open().
  @SuppressWarnings("NullAway.Init")
  private DirectoryLists lists;

  @SuppressWarnings("NullAway.Init")
  private InvalidServers missing;

  private @Nullable ToolSearch search;
  private @Nullable ToolSearch skills;

  /** One reply in both forms; kept until a list changes, or the reason why one is missing. */
  private static final class CachedReply {
    private final Buffer raw;
    private final JsonArray notListed;
    private @Nullable JsonObject json;

    CachedReply(Buffer raw, JsonArray notListed) {
      this.raw = raw;
      this.notListed = notListed;
    }

    JsonObject json() {
      if (json == null) {
        json = new JsonObject(raw);
      }
      return json;
    }
  }

  /**
   * @param names the names of entries in the aggregate
   * @param searched whether the index of the tools is built at the start, not at the first search
   */
  public AggregateService(NamePolicy names, boolean searched) {
    this.names = names;
    this.searched = searched;
  }

  @Override
  public Future<?> open(Vertx vertx, DirectoryLists from) {
    lists = from;
    missing = InvalidServers.of(vertx);
    EventBus bus = vertx.eventBus();
    AggregateToolCalls calls = new AggregateToolCalls(vertx, names, new Present());
    ToolSearch index = new ToolSearch(vertx, ListKind.TOOLS);
    search = index;
    skills = new ToolSearch(vertx, ListKind.SKILLS);
    if (searched) {
      index.begin();
    }
    List<Future<Void>> ready = new ArrayList<>();
    for (ListKind kind : ListKind.values()) {
      if (kind.aggregate != null) {
        ready.add(serve(bus, kind.aggregate, message -> list(kind, message)));
      }
    }
    ready.add(serve(bus, Addresses.ALL_TOOLS_CALL, message -> call(calls, message)));
    ready.add(
        serve(
            bus,
            Addresses.ALL_TOOLS_SEARCH,
            message -> JsonReplies.serve(message, () -> search(index, message))));
    ready.add(serve(bus, Addresses.ALL_SKILLS_READ, new AggregateSkills(vertx)::read));
    ready.add(serve(bus, Addresses.ALL_TOOLS_DESCRIBE, message -> describe(calls, message)));
    return Future.all(ready);
  }

  private static Future<Void> serve(
      EventBus bus, String address, Handler<Message<Object>> handler) {
    return bus.consumer(address, handler).completion();
  }

  @Override
  public Future<?> close() {
    return search == null || skills == null
        ? Future.succeededFuture()
        : Future.join(search.close(), skills.close());
  }

  @Override
  public void changed(String id, @Nullable DirectoryEntry entry) {
    AggregateSnapshot next = aggregate.with(id, entry, names);
    if (next != aggregate) {
      aggregate = next;
      replies.clear();
      if (search != null && skills != null) {
        search.changed(next);
        skills.changed(next);
      }
    }
  }

  private Future<JsonObject> search(ToolSearch index, Message<Object> message) {
    SearchRequest request = SearchRequest.of(message.body());
    Requester requester = Requester.of(message.headers());
    String owner = requester == null ? null : requester.name();
    CallerFacts caller = caller(message);
    return known(request.servers())
        .compose(configured -> listed(ListKind.TOOLS, request.servers(), caller))
        .compose(listed -> index(index, caller).search(request, owner))
        .compose(tools -> withSkills(tools, request, owner));
  }

  /** The index of what a caller sees; that of all where it has no lists of its own. */
  private ToolSearch index(ToolSearch common, @Nullable CallerFacts caller) {
    if (caller == null || lists.snapshot().own(caller).isEmpty()) {
      return common;
    }
    ToolSearch own = searches.computeIfAbsent(caller, first -> common.another());
    own.changed(of(caller));
    if (searches.size() > MAX_SEARCHES) {
      CallerFacts oldest = searches.keySet().iterator().next();
      ToolSearch gone = searches.remove(oldest);
      if (gone != null) {
        gone.close();
      }
    }
    return own;
  }

  /** The skills that fit the words of a search, beside its tools. */
  private Future<JsonObject> withSkills(
      JsonObject tools, SearchRequest request, @Nullable String owner) {
    ToolSearch index = skills;
    return !request.skills() || index == null
        ? Future.succeededFuture(tools)
        : lists
            .whenListed(ListKind.SKILLS, request.servers())
            .compose(listed -> index.search(request.ofSkills(), owner))
            .map(found -> tools.put("skills", found.getJsonArray("skills")));
  }

  /** A name may be found only in the lists; just after the start the servers are not known yet. */
  private void call(AggregateToolCalls calls, Message<Object> message) {
    Future<Void> known = lists.known();
    if (known.isComplete()) {
      calls.call(message);
    } else {
      known.onComplete(read -> calls.call(message));
    }
  }

  private void describe(AggregateToolCalls calls, Message<Object> message) {
    lists
        .known()
        .compose(configured -> listed(ListKind.TOOLS, null, caller(message)))
        .onComplete(listed -> calls.describe(message));
  }

  private void list(ListKind kind, Message<Object> message) {
    boolean raw = message.body() instanceof Buffer;
    @Nullable List<String> only;
    try {
      only = only(message.body());
    } catch (McpFailure refused) {
      refused.replyTo(message);
      return;
    }
    CallerFacts caller = caller(message);
    known(only)
        .compose(configured -> listed(kind, only, caller))
        .onFailure(refused -> McpFailure.of(refused).replyTo(message))
        .onSuccess(
            listed -> {
              CachedReply reply = reply(kind, only, caller);
              message.reply(raw ? reply.raw : reply.json());
            });
  }

  /** Who asks, where servers act for their callers; null elsewhere, and for a program. */
  private @Nullable CallerFacts caller(Message<?> message) {
    Set<String> wanted = lists.snapshot().callerHeaders();
    return wanted == null ? null : CallerFacts.of(message.headers(), wanted);
  }

  private Future<Void> listed(
      ListKind kind, @Nullable Collection<String> only, @Nullable CallerFacts caller) {
    Future<Void> common = lists.whenListed(kind, only);
    if (caller == null) {
      return common;
    }
    List<String> own =
        lists.snapshot().servers().stream()
            .filter(DirectoryEntry::ofCallers)
            .map(server -> server.id().value())
            .filter(id -> only == null || only.contains(id))
            .toList();
    return own.isEmpty()
        ? common
        : Future.join(common, lists.whenFresh(List.of(kind), own, caller, false)).mapEmpty();
  }

  /** The aggregate that a caller sees. */
  private AggregateSnapshot of(@Nullable CallerFacts caller) {
    Map<String, DirectoryEntry> own = lists.snapshot().own(caller);
    if (caller == null || own.isEmpty()) {
      return aggregate;
    }
    OwnAggregate known = ofCallers.get(caller);
    if (known == null || known.common != aggregate || known.own != own) {
      AggregateSnapshot seen = aggregate;
      for (Map.Entry<String, DirectoryEntry> one : own.entrySet()) {
        seen = seen.with(one.getKey(), one.getValue(), names);
      }
      known = new OwnAggregate(aggregate, own, seen);
      if (ofCallers.size() >= MAX_CALLERS) {
        ofCallers.clear();
      }
      ofCallers.put(caller, known);
    }
    return known.seen;
  }

  private CachedReply reply(
      ListKind kind, @Nullable List<String> only, @Nullable CallerFacts caller) {
    if (caller != null && !lists.snapshot().own(caller).isEmpty()) {
      JsonArray absent =
          lists
              .reach()
              .now(missing.reasons())
              .named(lists.snapshot().of(caller), kind, id -> only == null || only.contains(id));
      return new CachedReply(of(caller).write(kind, only, absent), absent);
    }
    JsonArray notListed =
        lists
            .reach()
            .now(missing.reasons())
            .named(lists.snapshot(), kind, id -> only == null || only.contains(id));
    CachedReply present = only == null ? replies.get(kind) : null;
    if (present != null && present.notListed.equals(notListed)) {
      return present;
    }
    CachedReply fresh = new CachedReply(aggregate.write(kind, only, notListed), notListed);
    if (only == null) {
      replies.put(kind, fresh);
    }
    return fresh;
  }

  private static @Nullable List<String> only(Object body) {
    try {
      JsonObject params = body instanceof Buffer raw ? new JsonObject(raw) : (JsonObject) body;
      JsonArray ids = params.getJsonArray("servers");
      return ids == null ? null : ids.stream().map(String.class::cast).toList();
    } catch (RuntimeException e) {
      throw McpFailure.badRequest("send {} for all servers or {\"servers\":[\"id\", ...]}");
    }
  }

  /** Fails with {@code UNKNOWN_CONNECTION} if a wanted server is not configured. */
  private Future<Void> known(@Nullable Collection<String> only) {
    if (only == null || lists.snapshot().ids().containsAll(only)) {
      return lists.known();
    }
    return lists
        .readServers(LOCAL)
        .compose(
            read ->
                only.stream()
                    .filter(id -> lists.snapshot().server(id) == null)
                    .findFirst()
                    .map(id -> unknown(missing, id))
                    .orElseGet(Future::succeededFuture));
  }

  private static Future<Void> unknown(InvalidServers missing, String id) {
    McpFailure leftOut = missing.failure(id);
    return Future.failedFuture(
        leftOut != null
            ? leftOut
            : McpFailure.notSent(
                FailureCode.UNKNOWN_CONNECTION,
                "there is no server '" + (id.length() > 80 ? id.substring(0, 80) : id) + "'"));
  }

  /** The present state of this service, for the tool calls. */
  private final class Present implements AggregateToolCalls.View {

    @Override
    public AggregateSnapshot aggregate(Message<?> message) {
      return of(caller(message));
    }

    @Override
    public Collection<String> servers() {
      return lists.snapshot().ids();
    }

    @Override
    public boolean isCurrent(Message<?> message, String id) {
      AggregateList tools = aggregate(message).listing(id, ListKind.TOOLS);
      return tools != null
          && !tools.isStale()
          && !lists.snapshot().isOfCallers(id) // its lists are asked for when a caller looks
          && !lists.isFetching(id, ListKind.TOOLS);
    }
  }
}
