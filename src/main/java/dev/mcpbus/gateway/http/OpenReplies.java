package dev.mcpbus.gateway.http;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.FairLimit;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Principal;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The open responses of one HTTP verticle. Confined to its context. */
final class OpenReplies {

  private static final long RETRY_AFTER_MILLIS = 5_000;

  private final FairLimit<HttpReply> streams;
  private final Set<HttpReply> open = new HashSet<>();

  /**
   * @param streams the bound on standing streams of all HTTP verticles together
   */
  OpenReplies(FairLimit<HttpReply> streams) {
    this.streams = streams;
  }

  void add(HttpReply reply) {
    open.add(reply);
  }

  /** Idempotent. */
  void remove(HttpReply reply) {
    if (open.remove(reply) && reply.isStanding()) {
      streams.remove(reply);
    }
  }

  /**
   * Counts a standing stream. If there are too many, or {@code principal} has three quarters of
   * those that are left, it answers the request with 503.
   *
   * @param id of the request; null if it has none
   * @return false if the request has got the answer 503
   */
  boolean addStream(HttpReply reply, Principal principal, @Nullable RawJson id) {
    if (streams.admit(reply, principal.name()).isRefused()) {
      reply.header("Retry-After", Long.toString(RETRY_AFTER_MILLIS / 1_000));
      reply.refuse(
          503,
          id,
          new McpFailure(
              FailureCode.OVERLOADED,
              McpFailure.Sent.NO,
              streams.size()
                  + " streams are open, "
                  + streams.sizeOf(principal.name())
                  + " of them yours; close one, try again later, or raise gateway.maxStreams",
              RETRY_AFTER_MILLIS,
              null));
      return false;
    }
    open.add(reply.standing());
    return true;
  }

  /** Ends the streams of clients whose credentials have ended. */
  void check() {
    Set.copyOf(open).forEach(HttpReply::check);
  }

  /** Keeps the responses alive. */
  void beat() {
    Set.copyOf(open).forEach(HttpReply::beat);
  }

  /**
   * Ends the standing streams; other responses get their answers while the server drains.
   *
   * @param busy those that wait for answers, although they are standing streams
   */
  void close(Predicate<HttpReply> busy) {
    for (HttpReply reply : Set.copyOf(open)) {
      if (reply.isStanding() && !busy.test(reply)) {
        reply.giveUp(LostStreamAnswers.doorEnds(), null); // a stream that has not begun
        reply.end();
      }
    }
  }

  /** Answers the requests that have no answer yet, before the server cuts their connections off. */
  void giveUp() {
    Set.copyOf(open).forEach(reply -> reply.giveUp(LostStreamAnswers.doorEnds(), null));
  }
}
