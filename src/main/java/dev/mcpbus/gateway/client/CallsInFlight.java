package dev.mcpbus.gateway.client;

import dev.mcpbus.gateway.client.OpenQuestions.Question;
import dev.mcpbus.gateway.request.PublishedSession;
import dev.mcpbus.gateway.request.PublishedSession.StraightCall;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one client that its session host has in flight, and which of them gets what a server
 * sends without naming a call. Confined to the host's context.
 */
final class CallsInFlight {

  private final Context context;
  private final PublishedSession published;

  /** By call id, in the order in which they began. */
  private final Map<String, HeldCall> calls = new LinkedHashMap<>();

  /** Calls that went straight to a connection and on which questions wait, by their ids. */
  private final Map<String, Promise<Void>> taking = new HashMap<>();

  /**
   * @param context of the host
   * @param published has the calls that went straight to a connection
   */
  CallsInFlight(Context context, PublishedSession published) {
    this.context = context;
    this.published = published;
  }

  @Nullable HeldCall get(String callId) {
    return calls.get(callId);
  }

  Collection<HeldCall> values() {
    return calls.values();
  }

  boolean isEmpty() {
    return calls.isEmpty();
  }

  int size() {
    return calls.size();
  }

  /** Whether a client waits for one of them. */
  boolean areInUse() {
    for (HeldCall call : calls.values()) { // twice per message: the first is nearly always
      if (call.isInUse()) {
        return true;
      }
    }
    return false;
  }

  /** A call begins, also one that went straight to a connection: its questions go on with it. */
  void begins(HeldCall call) {
    calls.put(call.callId(), call);
    Promise<Void> waited = taking.remove(call.callId());
    if (waited != null) {
      waited.complete();
    }
  }

  /** A call is over; false if it was before. */
  boolean ended(HeldCall call) {
    return calls.remove(call.callId(), call);
  }

  /** Those that were sent to that connection. */
  List<HeldCall> at(String connection) {
    return calls.values().stream().filter(call -> call.isAt(connection)).toList();
  }

  /** The one of them at that connection that began last. */
  @Nullable HeldCall latest(String connection, Predicate<HeldCall> which) {
    HeldCall found = null;
    for (HeldCall call : calls.values()) {
      if (call.isAt(connection) && which.test(call)) {
        found = call;
      }
    }
    return found;
  }

  /**
   * The call whose client gets a question that names no call: of those that its server has not
   * answered and whose client offers to answer, one that does not wait for its client before one
   * that does, then the first with the fewest questions.
   */
  @Nullable HeldCall asking(String connection, Question question) {
    return at(connection).stream()
        .filter(one -> one.isAskable(question.method(), question.params()))
        .min(
            Comparator.comparing((HeldCall one) -> !one.isInUse())
                .thenComparingInt(HeldCall::questions))
        .orElse(null);
  }

  // ---- calls that went straight to a connection

  /** Completes when this host has a call, which a question needs; fails if the call is over. */
  Future<Void> taken(String callId) {
    StraightCall call = published.call(callId);
    Promise<Void> known = taking.get(callId);
    if (known != null) {
      return known.future();
    }
    if (call == null) {
      return Future.failedFuture(CallRegistry.gone());
    }
    Promise<Void> taken = Promise.promise();
    taking.put(callId, taken);
    call.handOver()
        .onSuccess(
            handed ->
                context.runOnContext(
                    now -> {
                      if (!handed && taking.remove(callId, taken)) {
                        taken.fail(CallRegistry.gone());
                      }
                    }));
    return taken.future();
  }

  /** Their client ends. */
  void close() {
    List.copyOf(calls.values()).forEach(HeldCall::clientEnds);
    calls.clear();
    taking.values().forEach(waits -> waits.tryFail(CallRegistry.gone()));
    taking.clear();
  }
}
