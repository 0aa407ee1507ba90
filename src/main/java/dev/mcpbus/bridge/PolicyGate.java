package dev.mcpbus.bridge;

import dev.mcpbus.bus.CallHeaders;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.policy.PolicyCheck;
import dev.mcpbus.policy.RecordedCalls;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.Admission;
import dev.mcpbus.security.AdmissionControl;
import dev.mcpbus.security.Audit;
import dev.mcpbus.security.Audit.Decision;
import dev.mcpbus.security.Operation;
import dev.mcpbus.security.RefusalCode;
import dev.mcpbus.security.Rights;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides on each request and each socket message of the bridge, as the last step before the bus,
 * and writes the decision to the audit log. {@link PolicyCheck} says which operation a message is
 * and what a denied caller gets. Used on the bridge's context.
 */
final class PolicyGate {

  private static final String OPERATION = "mcpbus.operation";
  private static final String OPENED = "mcpbus.opened";
  private static final String REPEATS = "mcpbus.repeats";

  private final AdmissionControl admissions;
  private final Audit audit;

  PolicyGate(AdmissionControl admissions) {
    this.admissions = admissions;
    this.audit = admissions.audit();
  }

  /** Sets the name of the request in the audit log. */
  static void operation(RoutingContext ctx, String name) {
    ctx.put(OPERATION, name);
  }

  /** Notes for the audit log and the client that the call was made again so many times. */
  static void repeated(RoutingContext ctx, int times) {
    if (times > 0) {
      ctx.put(REPEATS, times);
      if (!ctx.response().headWritten()) {
        ctx.response().putHeader(CallHeaders.HTTP_REPEATED, Integer.toString(times));
      }
    }
  }

  private static int repeats(RoutingContext ctx) {
    Integer times = ctx.get(REPEATS);
    return times == null ? 0 : times;
  }

  private static String operation(RoutingContext ctx) {
    String name = ctx.get(OPERATION);
    return name == null ? ctx.request().method() + " " + ctx.request().path() : name;
  }

  /**
   * Whether the caller may use a route, whatever the body contains: false for an admin route
   * without the admin right, and then the request is answered.
   */
  boolean admits(RoutingContext ctx, Action action) {
    if (action != Action.ADMIN || AdmittedRequests.of(ctx).rights().isAdmin()) {
      return true;
    }
    ctx.fail(denied(ctx, Operation.of(action, "", "")));
    return false;
  }

  /** Whether the caller may learn who else calls: where nobody logs in, there is nobody else. */
  boolean maySeePrincipals(RoutingContext ctx) {
    return !admissions.isRequired()
        || PolicyCheck.permits(AdmittedRequests.of(ctx).rights(), PolicyCheck.toNode());
  }

  /**
   * Sends if the rights of the caller permit it.
   *
   * @param wanted the operation that the message is, derived from the body that {@code send} sends
   * @return the reply; fails as the call does, or as for something that does not exist
   */
  <T> Future<T> call(RoutingContext ctx, Operation wanted, Supplier<Future<T>> send) {
    Rights rights = AdmittedRequests.of(ctx).rights();
    if (!PolicyCheck.permits(rights, wanted)) {
      return Future.failedFuture(denied(ctx, wanted));
    }
    long since = System.nanoTime();
    Future<T> answer =
        wanted.action() == Action.METRICS // they say that the audit log cannot be written
            ? send.get()
            : begun(ctx, operation(ctx), wanted, send);
    if (audit.isOn()) {
      answer.onComplete(result -> allowed(ctx, operation(ctx), wanted, code(result), since));
    }
    return rights.isUnbounded()
        ? answer
        : answer.recover(
            failure -> Future.failedFuture(PolicyCheck.absence(McpFailure.of(failure))));
  }

  /** Sends a call of a request or of a socket, after its beginning where the audit wants that. */
  <T> Future<T> begun(
      RoutingContext ctx, String operation, Operation wanted, Supplier<Future<T>> send) {
    Admission caller = AdmittedRequests.of(ctx);
    return RecordedCalls.after(
        audit,
        () ->
            audit.begin(
                ctx.vertx(),
                caller.source(),
                caller.principal(),
                operation,
                wanted.action().word(),
                wanted.server().isEmpty() ? null : wanted.server(),
                wanted.named()),
        send);
  }

  /** Why nothing may be opened now, because its line could not be written; null if it may. */
  @Nullable McpFailure refusal() {
    String problem = audit.precedesCalls() ? audit.problem() : null;
    return problem == null ? null : RecordedCalls.refused(problem);
  }

  private McpFailure denied(RoutingContext ctx, Operation wanted) {
    Admission caller = AdmittedRequests.of(ctx);
    McpFailure denial = PolicyCheck.denial(caller.rights(), wanted, admissions.adminRemedy());
    if (denial.code() == FailureCode.FORBIDDEN) {
      admissions.challengeAdmin(ctx.request(), caller.principal());
    }
    denied(ctx, wanted, denial.code());
    return denial;
  }

  /** Writes that a request was denied. */
  void denied(RoutingContext ctx, Operation wanted, FailureCode code) {
    write(ctx, operation(ctx), wanted, Decision.DENY, code.name(), System.nanoTime());
  }

  /**
   * Whether a socket may send a message; a denial is written.
   *
   * @param wanted empty for an address that sockets cannot reach
   */
  boolean maySend(RoutingContext ctx, String operation, Optional<Operation> wanted) {
    Rights rights = AdmittedRequests.of(ctx).rights();
    boolean may = wanted.isPresent() && PolicyCheck.permits(rights, wanted.get());
    if (!may) {
      refused(ctx, operation, wanted.orElse(Operation.NOTHING), RefusalCode.DENIED);
    }
    return may;
  }

  /** Whether a socket may listen to an address; the decision is written. */
  boolean mayListen(RoutingContext ctx, String operation, Optional<Operation> wanted) {
    boolean may = refusal() == null && maySend(ctx, operation, wanted);
    if (may) {
      allowed(ctx, operation, wanted.orElse(Operation.NOTHING), "OK", System.nanoTime());
    }
    return may;
  }

  /** Writes that a message of a socket exceeded the caller's rate. */
  void limited(RoutingContext ctx, String operation) {
    refused(ctx, operation, Operation.NOTHING, RefusalCode.RATE_LIMITED);
  }

  /**
   * Writes the end of a call of a socket.
   *
   * @param since when it was sent, {@link System#nanoTime}
   */
  void ended(
      RoutingContext ctx, String operation, Operation wanted, AsyncResult<?> answer, long since) {
    if (audit.isOn()) {
      allowed(ctx, operation, wanted, code(answer), since);
    }
  }

  /** Writes that an event stream or a socket was opened. */
  void opened(RoutingContext ctx) {
    long now = System.nanoTime();
    ctx.put(OPENED, now);
    allowed(ctx, operation(ctx), Operation.NOTHING, "OPEN", now);
  }

  /** Writes that it has ended. Idempotent. */
  void closed(RoutingContext ctx) {
    Long since = ctx.remove(OPENED);
    if (since != null) {
      allowed(ctx, operation(ctx), Operation.NOTHING, "END", since);
    }
  }

  private static String code(AsyncResult<?> answer) {
    return answer.succeeded() ? "OK" : McpFailure.of(answer.cause()).code().name();
  }

  private void refused(RoutingContext ctx, String operation, Operation wanted, RefusalCode code) {
    write(ctx, operation, wanted, code.decision(), code.name(), System.nanoTime());
  }

  private void allowed(
      RoutingContext ctx, String operation, Operation wanted, String code, long since) {
    write(ctx, operation, wanted, Decision.ALLOW, code, since);
  }

  private void write(
      RoutingContext ctx,
      String operation,
      Operation wanted,
      Decision decision,
      String code,
      long since) {
    if (!audit.isOn()) {
      return;
    }
    Admission caller = AdmittedRequests.of(ctx);
    audit.line(
        caller.source(),
        caller.principal(),
        operation,
        wanted.action().word(),
        wanted.server().isEmpty() ? null : wanted.server(),
        wanted.named(),
        decision,
        code,
        repeats(ctx),
        since);
  }
}
