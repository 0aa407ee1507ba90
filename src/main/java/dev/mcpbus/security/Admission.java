package dev.mcpbus.security;

import dev.mcpbus.bus.CallOrigin;
import dev.mcpbus.security.PresentedCredential.CredentialHolder;
import dev.mcpbus.security.RateLimiter.Place;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An admitted request: its principal and its rights. {@link AdmissionControl} alone creates it.
 * Event streams and sockets keep it and check with {@link #ended} or {@link #changed} whether it is
 * still valid. Confined to the context of the HTTP verticle.
 */
public final class Admission {

  private final AccessControl control;
  private final PresentedCredential credential;
  private final CredentialHolder holder;
  private final Rights rights;
  private final AuthState initial;
  private final HttpServerRequest request;
  private final Runnable end;
  private AuthState seen;
  private @Nullable CredentialHolder latest;
  private @Nullable Runnable also;
  private @Nullable Runnable left;
  private CallOrigin origin = CallOrigin.NONE;
  private Future<?> use = Future.succeededFuture();
  private Future<?> awaited = Future.succeededFuture();

  Admission(
      AccessControl control,
      PresentedCredential credential,
      CredentialHolder holder,
      Rights rights,
      AuthState state,
      HttpServerRequest request,
      Runnable end) {
    this.control = control;
    this.credential = credential;
    this.holder = holder;
    this.latest = holder;
    this.rights = rights;
    this.initial = state;
    this.seen = state;
    this.request = request;
    this.end = end;
  }

  /** The principal at the time of admission. */
  public Principal principal() {
    return holder.principal();
  }

  /** The rights at the time of admission. */
  public Rights rights() {
    return rights;
  }

  /** Where the request came from. */
  public RequestSource source() {
    return RequestSource.of(request);
  }

  /** When it arrived, and at which door: for the messages that are sent because of it. */
  public CallOrigin origin() {
    return origin;
  }

  /** Sets what {@link #origin} returns; the door does so when it admits the request. */
  public void origin(CallOrigin of) {
    origin = of;
  }

  /** The client may come back for the answer, though its response has ended. */
  public void awaitUntil(Future<?> call) {
    awaited = call;
  }

  /** Completes when no client comes back for an answer. */
  public Future<?> awaited() {
    return awaited;
  }

  /**
   * Gives the request's place among the requests in flight back. Call it when the response has
   * ended or its connection has closed, or when a socket was opened (its messages count instead).
   * Idempotent.
   */
  public void end() {
    end.run();
    Runnable first = left;
    left = null;
    if (first != null) {
      first.run();
    }
    Runnable task = also;
    also = null;
    if (task != null) {
      use.onComplete(done -> task.run());
    }
  }

  /** Runs {@code task} at {@link #end} whatever is still in use, in place of the task before. */
  public void onLeft(Runnable task) {
    left = task;
  }

  /** Runs {@code task} at {@link #end}, in place of the task before. */
  public void onEnd(Runnable task) {
    also = task;
  }

  /** What {@link #onEnd} frees is in use until {@code call} is complete, too. */
  public void useUntil(Future<?> call) {
    use = call;
  }

  /**
   * Why the credential is no longer valid: it has expired, or a reload removed it. Null while it is
   * valid. Cheap enough to call for each message.
   */
  public @Nullable String ended() {
    CredentialHolder current = current();
    if (current == null || !current.hasScopes()) {
      return "the " + credential.word() + " is no longer good here: auth was changed";
    }
    Instant until = current.until();
    return until == null || control.now().isBefore(until)
        ? null
        : "the " + credential.word() + " has expired";
  }

  /** As {@link #ended}, but also if the principal's rights differ from those at admission. */
  public @Nullable String changed() {
    String ended = ended();
    CredentialHolder current = current();
    if (ended != null || current == null || seen == initial) {
      return ended;
    }
    return current.principal().equals(holder.principal())
            && seen.policy().rights(current.principal()).sameAs(rights)
        ? null
        : "what the " + credential.word() + " may do was changed";
  }

  /**
   * Why {@link #changed} says something, in one word: {@code token_expiry}, {@code revoked} or
   * {@code insufficient_authorization}.
   */
  public String endReason() {
    CredentialHolder current = current();
    return current == null || !current.hasScopes()
        ? "revoked"
        : ended() == null ? "insufficient_authorization" : "token_expiry";
  }

  /** Takes a place among the principal's requests in flight, for one message of a socket. */
  public Place message() {
    return control.rateLimiter().enter(principal());
  }

  private @Nullable CredentialHolder current() {
    AuthState state = control.state();
    if (state != seen) {
      seen = state;
      latest = credential.in(state);
    }
    return credential.isRevoked() ? null : latest;
  }
}
