package dev.mcpbus.connection.session;

import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.RequestIds;
import dev.mcpbus.protocol.TaskId;
import dev.mcpbus.transport.Channel.Receiver;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Finds out whose a message of the server is. Evidence is, in this order: the task, progress token
 * or request id that the message names, and the response stream on which it came. A message without
 * evidence belongs to a principal only if that principal made all calls that the server may still
 * work on: those in flight, and those that ended without an answer, which count until the server
 * answers them or the session ends. Owner: the connection's context.
 */
final class MessageOwners {

  /** Calls without an answer that are remembered one by one. */
  static final int MAX_UNANSWERED = 1_024;

  /** Stands for programs on the bus, which have no principal. */
  private static final String PROGRAM = "";

  /** Stands for several principals. */
  private static final String SEVERAL = "\0";

  private final PendingRequests pending;
  private final Function<String, MessageOwner> tasks;

  /** The owners of what the server may work on without a request of ours that waits. */
  private final Map<Object, String> unanswered = new HashMap<>();

  /** The owner of what is beyond the bound: that counts until the session ends. */
  private @Nullable String forgotten;

  /**
   * @param tasks the owner of a message about the task with that id
   */
  MessageOwners(PendingRequests pending, Function<String, MessageOwner> tasks) {
    this.pending = pending;
    this.tasks = tasks;
  }

  /**
   * The server may work on {@code call} although no request waits for its answer.
   *
   * @param key our id of the request, or the id of the task that the call has become
   */
  void goesOn(Object key, PendingRequest call) {
    if (!call.isForCaller()) {
      return;
    }
    if (unanswered.size() < MAX_UNANSWERED) {
      unanswered.putIfAbsent(key, ownerOf(call));
    } else if (!unanswered.containsKey(key)) {
      forgotten = joined(forgotten, ownerOf(call));
    }
  }

  /** The call goes on as a task: the server has answered it so after its caller had left. */
  void becomesTask(long request, String taskId) {
    String owner = unanswered.remove(request);
    if (owner != null) {
      unanswered.putIfAbsent(taskId, owner);
    }
  }

  /** The server does not work on it any more. */
  void isOver(Object key) {
    unanswered.remove(key);
  }

  /**
   * The owner of a notification.
   *
   * @param request where it came: as {@link Receiver#onMessage(dev.mcpbus.protocol.Envelope, long)}
   */
  MessageOwner of(String method, RawJson params, long request) {
    MessageOwner ofTask = ofTask(params);
    if (ofTask != null && (ofTask.call() != null || ofTask.owner() != null)) {
      return agreed(ofTask, request);
    }
    long named = RequestIds.named(params, RequestMeta::requestOf);
    if (named >= 0) {
      return agreed(of(named), request);
    }
    if (request != Receiver.ANY_STREAM) {
      return at(request);
    }
    long id = RequestIds.requestId(params);
    return pending.get(id) != null || unanswered.containsKey(id) ? of(id) : unnamed(method, false);
  }

  /** The owner of a question; a token in it is the server's own. */
  MessageOwner ofQuestion(String method, RawJson params, long request) {
    MessageOwner ofTask = ofTask(params);
    return ofTask != null
        ? agreed(ofTask, request)
        : request == Receiver.ANY_STREAM ? unnamed(method, true) : at(request);
  }

  /** Whether a message that came there can be of the call that it names. */
  boolean mayName(PendingRequest call, long request) {
    return !agreed(MessageOwner.of(call), request).equals(MessageOwner.UNKNOWN);
  }

  /** Operators alone get it: it names what is not of the caller on whose stream it came. */
  private MessageOwner agreed(MessageOwner named, long request) {
    PendingRequest at = pending.get(request);
    String stream = at == null ? unanswered.get(request) : at.isForCaller() ? ownerOf(at) : null;
    PendingRequest call = named.call();
    String owner = call == null ? named.owner() : ownerOf(call);
    return stream == null || stream.equals(owner) ? named : MessageOwner.UNKNOWN;
  }

  /** Null where the message names no task. */
  private @Nullable MessageOwner ofTask(RawJson params) {
    RawJson meta = params.member("_meta");
    return meta == null || meta.member(MetaKeys.RELATED_TASK) == null
        ? null
        : tasks.apply(TaskId.related(params));
  }

  /** The owner of a message on the stream of a request, or on the standing one. */
  private MessageOwner at(long request) {
    if (request != Receiver.STANDING_STREAM) {
      return of(request);
    }
    MessageOwner likely = unnamed(Methods.ROOTS_LIST, true);
    return new MessageOwner(null, likely.owner(), likely.restricted(), true);
  }

  private MessageOwner of(long request) {
    PendingRequest call = pending.get(request);
    if (call != null) {
      return MessageOwner.of(call);
    }
    String owner = unanswered.get(request);
    return MessageOwner.ofPrincipal(PROGRAM.equals(owner) ? null : owner);
  }

  /**
   * The owner of a message without evidence. It is of a call if there is only one that it may
   * belong to; a server logs for calls alone that want it, and asks for roots for all.
   */
  private MessageOwner unnamed(String method, boolean question) {
    boolean log = method.equals(Methods.MESSAGE);
    String owner = forgotten;
    for (String one : unanswered.values()) {
      owner = joined(owner, one);
      if (SEVERAL.equals(owner)) {
        return MessageOwner.UNKNOWN;
      }
    }
    PendingRequest only = null;
    boolean others = owner != null && (question || owner.equals(PROGRAM));
    int calls = others || method.equals(Methods.ROOTS_LIST) ? 1 : 0;
    for (PendingRequest call : pending.all()) {
      if (call.isForCaller()) {
        owner = joined(owner, ownerOf(call));
        if (SEVERAL.equals(owner)) {
          return MessageOwner.UNKNOWN;
        }
        if (!log || call.logAddress() != null) {
          only = calls++ == 0 ? call : null;
        }
      }
    }
    return owner == null
        ? new MessageOwner(null, null, false, false)
        : new MessageOwner(only, PROGRAM.equals(owner) ? null : owner, true, false);
  }

  private static String ownerOf(PendingRequest call) {
    String owner = call.owner();
    return owner == null ? PROGRAM : owner;
  }

  /** The owner of both. */
  private static String joined(@Nullable String owner, String other) {
    return owner == null || owner.equals(other) ? other : SEVERAL;
  }
}
