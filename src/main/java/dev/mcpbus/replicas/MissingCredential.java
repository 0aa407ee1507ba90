package dev.mcpbus.replicas;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallDeadline;
import dev.mcpbus.bus.CallerLogins;
import dev.mcpbus.bus.CallerLogins.CallerLogin;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.Headers;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.connection.options.ConnectionOptions.BeforeLogin;
import io.vertx.core.Context;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a principal gets of a server of callers while it has no credential there: empty lists, or
 * the one tool {@value #LOGIN}, and for all else a failure that says where it gets one. A call that
 * wishes it waits for the login. Owner thread: the context of the server's home.
 */
final class MissingCredential {

  private static final String LOGIN = "login";

  /** Where the console takes the secrets of a principal. */
  private static final String SECRETS = "/#/credentials";

  private final EventBus bus;
  private final Context context;
  private final ConnectionId server;
  private final ConnectionOptions options;
  private final CallerLogins logins;

  /** The logins whose end is awaited here. */
  private final Set<String> watched = new HashSet<>();

  /** Calls that wait for a login, by their ids. */
  private final Map<String, Promise<Void>> waiting = new HashMap<>();

  /** Binds the object to the present context. */
  MissingCredential(Vertx vertx, ConnectionId server, ConnectionOptions options) {
    this.bus = vertx.eventBus();
    this.context = vertx.getOrCreateContext();
    this.server = server;
    this.options = options;
    this.logins = CallerLogins.of(vertx);
  }

  /** Whether a failure of the server says that the principal needs a credential, or another one. */
  boolean isMeant(McpFailure failure, String principal) {
    return (failure.code() == FailureCode.AUTH_REQUIRED
            && options.credential() != ConnectionOptions.Credential.NONE)
        || (failure.code() == FailureCode.FORBIDDEN && logins.of(server, principal) != null);
  }

  /**
   * Answers a message of a principal that has no credential, at once or after its login.
   *
   * @param failure what the server, or the connection to it, has said
   * @param again passes the message to the server, when the principal has logged in
   */
  void refuse(
      String principal,
      String suffix,
      Message<Object> message,
      McpFailure failure,
      Runnable again) {
    McpFailure why = explained(failure, principal);
    CallerLogin login = logins.of(server, principal);
    if (login != null && watched.add(login.id())) {
      login
          .outcome()
          .onComplete(
              ended ->
                  context.runOnContext(
                      now -> {
                        watched.remove(login.id());
                        if (ended.succeeded()) {
                          CallerLogins.announce(bus, login);
                        }
                      }));
    }
    if (login == null || !Boolean.parseBoolean(message.headers().get(Headers.WAIT_LOGIN))) {
      answer(suffix, message, why);
      return;
    }
    String call = String.valueOf(message.headers().get(Headers.CALL_ID));
    long left = CallDeadline.left(message.headers());
    Promise<Void> ended = Promise.promise();
    waiting.put(call, ended);
    login.outcome().onComplete(done -> ended.tryComplete());
    ended
        .future()
        .timeout(
            Math.max(1, left < 0 ? options.requestTimeout().toMillis() : left),
            TimeUnit.MILLISECONDS)
        .onComplete(
            over ->
                context.runOnContext(
                    now -> {
                      waiting.remove(call, ended);
                      if (over.succeeded() && login.outcome().succeeded()) {
                        again.run();
                      } else {
                        answer(suffix, message, why);
                      }
                    }));
  }

  /** Ends the wait of a call; false where none waits by that id. */
  boolean cancel(String call) {
    Promise<Void> waits = waiting.remove(call);
    return waits != null && waits.tryFail("cancelled");
  }

  /**
   * The failure for a principal: {@code AUTH_REQUIRED} with {@code data: {server, login?, loginId?,
   * until?}}. {@code login} is the link, for this principal alone.
   *
   * @param why what the server, or the connection to it, has said
   */
  private McpFailure explained(McpFailure why, String principal) {
    JsonObject data = why.data().copy().put("server", server.value());
    CallerLogin login = logins.of(server, principal);
    String link = login == null ? null : logins.link(login);
    if (login == null || link == null) {
      String url = logins.url();
      boolean secret = options.credential() == ConnectionOptions.Credential.SECRET;
      String page = secret && url != null ? "; the console's page is " + url + SECRETS : "";
      return new McpFailure(
          why.code(), why.sent(), why.getMessage() + page, why.retryAfterMillis(), data);
    }
    String until = login.until().truncatedTo(ChronoUnit.SECONDS).toString();
    return new McpFailure(
        FailureCode.AUTH_REQUIRED,
        why.sent(),
        "server '"
            + server
            + "' wants you to log in as "
            + principal
            + ": open "
            + link
            + " in a browser until "
            + until
            + ", then call again",
        -1,
        data.put(LOGIN, link).put("loginId", login.id()).put("until", until));
  }

  /**
   * Answers a message that needs no credential, or fails it.
   *
   * @param why of {@link #explained}
   */
  private void answer(String suffix, Message<Object> message, McpFailure why) {
    boolean tool = options.beforeLogin() == BeforeLogin.TOOL;
    for (ListKind kind : ListKind.values()) {
      if (kind.suffix.equals(suffix)) {
        JsonArray entries = new JsonArray();
        if (tool && kind == ListKind.TOOLS) {
          entries.add(described());
        }
        reply(message, new JsonObject().put(kind.member, entries));
        return;
      }
    }
    if (tool && suffix.equals(Addresses.TOOLS_CALL) && LOGIN.equals(name(message.body()))) {
      JsonObject text =
          new JsonObject().put("type", "text").put("text", String.valueOf(why.getMessage()));
      reply(message, new JsonObject().put("content", new JsonArray().add(text)));
      return;
    }
    why.replyTo(message);
  }

  private JsonObject described() {
    return new JsonObject()
        .put("name", LOGIN)
        .put("title", "Log in at " + server)
        .put(
            "description",
            "The server "
                + server
                + " acts for each person alone, and does not know you yet. This tool says how you"
                + " get access; the server's own tools are listed afterwards.")
        .put("inputSchema", new JsonObject().put("type", "object"))
        .put("annotations", new JsonObject().put("readOnlyHint", true));
  }

  private static @Nullable Object name(@Nullable Object body) {
    try {
      JsonObject params =
          body instanceof Buffer bytes
              ? new JsonObject(bytes)
              : body instanceof JsonObject json ? json : null;
      return params == null ? null : params.getValue("name");
    } catch (DecodeException | ClassCastException e) {
      return null;
    }
  }

  /** In the kind of the request. */
  private static void reply(Message<Object> message, JsonObject result) {
    message.reply(message.body() instanceof Buffer ? result.toBuffer() : result);
  }
}
