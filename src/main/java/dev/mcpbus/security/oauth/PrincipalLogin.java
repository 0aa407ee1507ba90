package dev.mcpbus.security.oauth;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallerLogins;
import dev.mcpbus.bus.CallerLogins.CallerLogin;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.JsonReplies;
import dev.mcpbus.bus.McpFailure;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A login of one principal. The pages of it, on whatever node, ask this object at an address of its
 * own, {@link Addresses#login}:
 *
 * <ul>
 *   <li>{@code {ask: "show", ticket}}: {@code {server, principal, at, host}}, for the page that
 *       says who logs in where;
 *   <li>{@code {ask: "begin", ticket, principal, browser}}: {@code {page}}, the login page of the
 *       authorization server. Uses the ticket up, for its principal alone, and binds the login to
 *       that browser;
 *   <li>{@code {ask: "return", fields, browser}}: {@code {server, principal}}, when the tokens are
 *       there. From another browser nothing is taken.
 * </ul>
 *
 * <p>{@code browser} is the digest of a secret that only that browser has. Any thread may call.
 */
final class PrincipalLogin extends AwaitedCode {

  private static final int ID_BYTES = 16;

  /** How long the person's page waits for the tokens. */
  private static final long EXCHANGE_SECONDS = 20;

  private final Vertx vertx;
  private final String id;
  private final ConnectionId server;
  private final String principal;
  private final String url;
  private final Runnable waits;
  private final MessageConsumer<JsonObject> consumer;
  private final Promise<Void> outcome = Promise.promise();
  private String ticket = OAuthDigests.secret();
  private boolean used;
  private @Nullable String browser;
  private @Nullable URI page;
  private @Nullable CallerLogin listed;

  /**
   * @param url the origin of mcpbus, to which the browser comes back
   * @param waits runs when the page is there
   */
  PrincipalLogin(Vertx vertx, ConnectionId server, String principal, String url, Runnable waits) {
    this(
        vertx,
        OAuthDigests.base64Url(OAuthDigests.random(ID_BYTES)),
        server,
        principal,
        url,
        waits);
  }

  private PrincipalLogin(
      Vertx vertx, String id, ConnectionId server, String principal, String url, Runnable waits) {
    super(id + "." + OAuthDigests.secret());
    this.vertx = vertx;
    this.id = id;
    this.server = server;
    this.principal = principal;
    this.url = url;
    this.waits = waits;
    this.consumer = vertx.eventBus().consumer(Addresses.login(id));
  }

  /** Completes when every node reaches it. */
  Future<Void> open() {
    consumer.handler(message -> JsonReplies.serve(message, () -> asked(message.body())));
    return consumer.completion();
  }

  @Override
  String redirectUri() {
    return url + CallerLogins.CALLBACK;
  }

  @Override
  void leadsTo(URI to, Duration time) {
    CallerLogin login =
        new CallerLogin(
            id, server, principal, this::ticket, Instant.now().plus(time), outcome.future());
    synchronized (this) {
      page = to;
      listed = login;
    }
    CallerLogins.of(vertx).add(login);
    waits.run();
  }

  /** The code was taken, or none comes any more; the page of the person may still wait. */
  @Override
  Future<Void> close() {
    CallerLogin login;
    synchronized (this) {
      login = listed;
      used = true;
    }
    if (login != null) {
      CallerLogins.of(vertx).remove(login);
    }
    return Future.succeededFuture();
  }

  /** The exchange of which it was a part has ended. */
  void finished(@Nullable Throwable why) {
    close();
    consumer.unregister();
    if (why == null) {
      outcome.tryComplete();
    } else {
      outcome.tryFail(why);
    }
  }

  /** The secret part of a link that works: another one after the last was used. */
  private synchronized String ticket() {
    if (used) {
      ticket = OAuthDigests.secret();
      used = false;
    }
    return id + "." + ticket;
  }

  private Future<JsonObject> asked(JsonObject request) {
    return switch (request.getString("ask", "")) {
      case "show" -> Future.succeededFuture(shown(request));
      case "begin" -> Future.succeededFuture(begun(request));
      case "return" -> returned(request);
      default -> throw McpFailure.badRequest("a login is asked for nothing else");
    };
  }

  private synchronized URI checked(JsonObject request) {
    URI to = page;
    if (to == null
        || used
        || !OAuthDigests.same(request.getString("ticket", ""), id + "." + ticket)) {
      throw McpFailure.badRequest("the link was used, or its time is over");
    }
    return to;
  }

  private JsonObject shown(JsonObject request) {
    URI to = checked(request);
    return who().put("host", GuardedHttp.origin(to));
  }

  private JsonObject who() {
    return new JsonObject().put("server", server.value()).put("principal", principal);
  }

  private synchronized JsonObject begun(JsonObject request) {
    URI to = checked(request);
    if (!principal.equals(request.getString("principal"))) {
      throw McpFailure.notSent(
          FailureCode.FORBIDDEN, "this link is for another principal, who alone may log in by it");
    }
    used = true;
    browser = request.getString("browser", "");
    return new JsonObject().put("page", to.toString());
  }

  private Future<JsonObject> returned(JsonObject request) {
    String bound;
    synchronized (this) {
      bound = browser;
    }
    if (bound == null || !OAuthDigests.same(request.getString("browser", ""), bound)) {
      throw McpFailure.notSent(
          FailureCode.FORBIDDEN,
          "this browser did not begin the login: open the link, and stay in that browser");
    }
    Map<String, String> fields = new HashMap<>();
    request
        .getJsonObject("fields", new JsonObject())
        .forEach(field -> fields.put(field.getKey(), String.valueOf(field.getValue())));
    BroughtBack brought = read(fields);
    if (brought == null) {
      throw McpFailure.badRequest("this is no answer to a login that is under way");
    }
    take(brought);
    return outcome
        .future()
        .timeout(EXCHANGE_SECONDS, TimeUnit.SECONDS)
        .recover(why -> Future.failedFuture(refused(why)))
        .map(done -> who());
  }

  /** What a person sees of a failure: the server may quote secrets in it. */
  private static McpFailure refused(Throwable why) {
    boolean denied = OAuthException.reason(why) == OAuthException.OAuthFailure.DENIED;
    return McpFailure.notSent(
        FailureCode.AUTH_REQUIRED,
        denied
            ? "the login was refused at the server's login page"
            : "the login has failed; the next call by this principal gets a new link");
  }
}
