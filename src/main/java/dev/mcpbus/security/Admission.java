package dev.mcpbus.security;

import dev.mcpbus.security.PresentedCredential.Holder;
import dev.mcpbus.security.RateLimiter.Place;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A request that may go on: who sent it, and what he may do. What stays open for longer than an
 * answer takes keeps it, and asks it whether that still holds. {@link AdmissionControl} alone makes
 * one. Confined to the context of the HTTP verticle.
 */
public final class Admission {

  private final AccessControl control;
  private final PresentedCredential credential;
  private final Holder holder;
  private final Rights rights;
  private final AuthState made;
  private final HttpServerRequest request;
  private final Runnable end;
  private AuthState seen;
  private @Nullable Holder now;

  Admission(
      AccessControl control,
      PresentedCredential credential,
      Holder holder,
      Rights rights,
      AuthState state,
      HttpServerRequest request,
      Runnable end) {
    this.control = control;
    this.credential = credential;
    this.holder = holder;
    this.now = holder;
    this.rights = rights;
    this.made = state;
    this.seen = state;
    this.request = request;
    this.end = end;
  }

  /** As he was when he came. */
  public Principal principal() {
    return holder.principal();
  }

  /** As they were when he came. */
  public Rights rights() {
    return rights;
  }

  /** Where the request came from. */
  public RequestSource source() {
    return RequestSource.of(request);
  }

  /**
   * Gives his place among the requests in flight back. To be run when the response has ended, its
   * connection is gone, or a socket came of it, whose messages count instead; idempotent.
   */
  public void end() {
    end.run();
  }

  /**
   * Why he is nobody any more: his credential has expired, or a reload took it away. Null while it
   * is good. Cheap enough for every message.
   */
  public @Nullable String ended() {
    Holder known = known();
    if (known == null || !known.hasScopes()) {
      return "the " + credential.word() + " is no longer good here: auth was changed";
    }
    Instant until = known.until();
    return until == null || control.now().isBefore(until)
        ? null
        : "the " + credential.word() + " has expired";
  }

  /** The same; also where he may now do other things than when he came. */
  public @Nullable String changed() {
    String ended = ended();
    Holder known = known();
    if (ended != null || known == null || seen == made) {
      return ended;
    }
    return known.principal().equals(holder.principal())
            && seen.policy().rights(known.principal()).sameAs(rights)
        ? null
        : "what the " + credential.word() + " may do was changed";
  }

  /** A place among what he may do at a time, for one message of a socket. */
  public Future<Place> message() {
    return control.rateLimiter().enter(principal());
  }

  private @Nullable Holder known() {
    AuthState state = control.state();
    if (state != seen) {
      seen = state;
      now = credential.in(state);
    }
    return now;
  }
}
