package dev.mcpbus.hosting.credentials;

import dev.mcpbus.protocol.Sensitive;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The tokens with which principals came in, for servers whose token is made of the caller's (RFC
 * 8693). Doors note them only while there is such a server. Any thread may call.
 */
public final class CallerTokens implements Shareable {

  /** Principals whose token is known at most; one whose token has expired makes room. */
  private static final int MAX = 10_000;

  private record PresentToken(Sensitive token, @Nullable Instant until) {}

  private final Map<String, PresentToken> tokens = new ConcurrentHashMap<>();

  private CallerTokens() {}

  /** The instance of a Vert.x, made at the first call. */
  public static CallerTokens of(Vertx vertx) {
    LocalMap<String, CallerTokens> map = vertx.sharedData().getLocalMap("dev.mcpbus.callerTokens");
    return map.computeIfAbsent("", absent -> new CallerTokens());
  }

  /**
   * Notes the token with which a principal has come in.
   *
   * @param until the end of its validity; null for never
   */
  public void note(String principal, Sensitive token, @Nullable Instant until) {
    if (tokens.size() >= MAX && !tokens.containsKey(principal)) {
      Instant now = Instant.now();
      tokens.values().removeIf(one -> one.until() != null && one.until().isBefore(now));
    }
    if (tokens.size() < MAX || tokens.containsKey(principal)) {
      tokens.put(principal, new PresentToken(token, until));
    }
  }

  /** The newest token of a principal; null where none is known that is valid. */
  public Future<@Nullable Sensitive> token(String principal) {
    PresentToken known = tokens.get(principal);
    boolean over = known != null && known.until() != null && known.until().isBefore(Instant.now());
    return Future.succeededFuture(known == null || over ? null : known.token());
  }
}
