package dev.mcpbus.security.oauth;

import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.core.shareddata.LocalMap;
import io.vertx.core.shareddata.Shareable;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The newest token with which each principal came in, for servers whose token is made of the
 * caller's (RFC 8693). Doors note it only while a server acts for its callers. In a cluster all
 * nodes find it, sealed in the store of tokens, until it expires. Any thread may call.
 */
public final class CallerTokens implements Shareable {

  /** Principals whose token is known on a node; the one that came longest ago makes room. */
  private static final int MAX = 10_000;

  private static final Logger LOG = LoggerFactory.getLogger(CallerTokens.class);
  private static final String TOKEN = "token";
  private static final Pattern CREDENTIAL =
      Pattern.compile("(?i)(?:bearer|dpop) +(?!mcpbus_)(\\S+)");

  /**
   * @param prefix begins the names of the people who have signed in
   * @param tokens completes with null for one of whom the provider gives no token
   */
  private record SignedIn(String prefix, Function<String, Future<@Nullable Sensitive>> tokens) {}

  private volatile @Nullable SignedIn signedIn;
  private final Vertx vertx;
  private final Map<String, Sensitive> tokens =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Sensitive> eldest) {
          return size() > MAX;
        }
      };

  private CallerTokens(Vertx vertx) {
    this.vertx = vertx;
  }

  /** The instance of a Vert.x, made at the first call. */
  public static CallerTokens of(Vertx vertx) {
    LocalMap<String, CallerTokens> map = vertx.sharedData().getLocalMap("dev.mcpbus.callerTokens");
    return map.computeIfAbsent("", absent -> new CallerTokens(vertx));
  }

  /**
   * Notes the token of a request that was admitted. None is an API key of mcpbus, nor a token that
   * mcpbus itself has issued: that opens mcpbus, and goes to nobody.
   *
   * @param request its headers
   */
  public void note(String principal, MultiMap request) {
    String header = request.get("Authorization");
    Matcher found = CREDENTIAL.matcher(header == null ? "" : header);
    if (found.matches() && signIn(principal) == null) {
      note(principal, Sensitive.of(found.group(1)));
    }
  }

  private void note(String principal, Sensitive token) {
    Sensitive before;
    synchronized (this) {
      before = tokens.put(principal, token);
    }
    if (vertx.isClustered() && !token.equals(before)) {
      JsonObject state = new JsonObject().put(TOKEN, token.reveal());
      Duration left = SubjectToken.left(token, Instant.now());
      (left == null
              ? store().save(key(principal), state)
              : store().save(key(principal), state, left))
          .onFailure(why -> LOG.warn("cannot store the token of a caller: {}", why.getMessage()));
    }
  }

  /**
   * Where people sign in at mcpbus, which then has tokens of the provider for them: these are
   * exchanged, and never one that mcpbus itself has issued.
   *
   * @param prefix begins the names of these people
   * @param tokens completes with null where the provider gives none any more
   */
  public void signedIn(String prefix, Function<String, Future<@Nullable Sensitive>> tokens) {
    signedIn = new SignedIn(prefix, tokens);
  }

  private @Nullable SignedIn signIn(String principal) {
    SignedIn known = signedIn;
    return known != null && principal.startsWith(known.prefix()) ? known : null;
  }

  /**
   * The newest token of a principal; null where none is known. For who has signed in at mcpbus, the
   * provider's; fails with an {@link OAuthException} where there is none.
   */
  public Future<@Nullable Sensitive> token(String principal) {
    SignedIn here = signIn(principal);
    return here == null
        ? shown(principal)
        : here.tokens()
            .apply(principal)
            .recover(
                why ->
                    OAuthFailure.UNREACHABLE.fails(
                        "the identity provider does not renew the caller's token now"))
            .compose(
                known ->
                    known == null
                        ? OAuthFailure.LOGIN_REQUIRED.fails(
                            "the caller has to sign in at mcpbus again: the identity provider gives"
                                + " no token any more, or gave none that can be renewed (many need"
                                + " the scope \"offline_access\" in auth.signIn.provider.scopes)")
                        : Future.succeededFuture(known));
  }

  /** The token with which the principal came in. */
  private Future<@Nullable Sensitive> shown(String principal) {
    if (!vertx.isClustered()) {
      synchronized (this) {
        return Future.succeededFuture(tokens.get(principal));
      }
    }
    return store()
        .load(key(principal))
        .map(state -> state == null ? null : Sensitive.ofNullable(state.getString(TOKEN)));
  }

  private TokenStore store() {
    return OwnTokenStore.of(vertx, System.getenv());
  }

  private static String key(String principal) {
    return TokenStore.keyOf(principal, TOKEN);
  }
}
