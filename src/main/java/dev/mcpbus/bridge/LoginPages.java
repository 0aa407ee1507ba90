package dev.mcpbus.bridge;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallerLogins;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.internals.AcceptedTypes;
import dev.mcpbus.security.AdmissionControl;
import dev.mcpbus.security.HtmlPage;
import dev.mcpbus.security.MountPath;
import dev.mcpbus.security.Principal;
import dev.mcpbus.security.RefusalCode;
import dev.mcpbus.security.oauth.FormEncoding;
import dev.mcpbus.security.oauth.OAuthDigests;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.CookieSameSite;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pages by which a principal logs in at a server of callers, answered before the admission:
 * {@code GET /login/<ticket>} says who logs in where, {@code POST} proves who is at the browser and
 * leads to the authorization server, {@code GET /login/callback} is where that sends the browser
 * back. The login itself waits on this node or another one. Used on the bridge's context.
 *
 * <p>A link that was passed on is of no use: its page goes on for its principal alone. Nor is the
 * page behind it: the browser that proved itself has a cookie, without which nothing is taken that
 * comes back (RFC 9700, section 4.7).
 */
final class LoginPages {

  private static final Logger LOG = LoggerFactory.getLogger(LoginPages.class);

  /** {@code <id>.<secret>}: a ticket, and the state of the authorization request. */
  private static final Pattern NAMED = Pattern.compile("([A-Za-z0-9_-]{22})\\.[A-Za-z0-9_-]{43}");

  /** Bytes. No key or token is longer. */
  private static final int MAX_BODY = 32 * 1024;

  private static final long ASK_MILLIS = 25_000;
  private static final long COOKIE_SECONDS = 600;
  private static final String NO_LOGIN = "This login cannot go on";

  private final Vertx vertx;
  private final AdmissionControl admissions;
  private final ReceiveDeadline receive;

  LoginPages(Vertx vertx, AdmissionControl admissions, ReceiveDeadline receive) {
    this.vertx = vertx;
    this.admissions = admissions;
    this.receive = receive;
  }

  /** Whether a page of another site may lead a browser here: by opening one of these pages. */
  static boolean isEntered(HttpServerRequest request) {
    return request.method().equals(HttpMethod.GET)
        && isPage(request)
        && "navigate".equals(request.getHeader("Sec-Fetch-Mode"))
        && "document".equals(request.getHeader("Sec-Fetch-Dest"));
  }

  private static boolean isPage(HttpServerRequest request) {
    String path = String.valueOf(request.path());
    return MountPath.LOGIN.owns(path)
        && path.startsWith(CallerLogins.PATH)
        && (path.equals(CallerLogins.CALLBACK)
            || NAMED.matcher(path.substring(CallerLogins.PATH.length())).matches());
  }

  /** Answers a request for one of these pages; false, without an answer, for other requests. */
  boolean answers(HttpServerRequest request) {
    if (!isPage(request)) {
      return false;
    }
    boolean back = CallerLogins.CALLBACK.equals(request.path());
    if (request.method().equals(HttpMethod.GET)) {
      if (back) {
        returned(request);
      } else {
        show(request, ticket(request));
      }
    } else if (request.method().equals(HttpMethod.POST) && !back) {
      body(request).onSuccess(body -> begin(request, ticket(request), body));
    } else {
      request.response().putHeader("Allow", back ? "GET" : "GET, POST");
      HtmlPage.send(
          request.response(), 405, HtmlPage.message(NO_LOGIN, "This page is to be opened."));
    }
    return true;
  }

  private static String ticket(HttpServerRequest request) {
    return String.valueOf(request.path()).substring(CallerLogins.PATH.length());
  }

  /** The body of a form; an answer where it is too long. */
  private Future<Buffer> body(HttpServerRequest request) {
    Promise<Buffer> whole = Promise.promise();
    Buffer body = Buffer.buffer();
    HttpServerResponse response = request.response();
    request.handler(
        chunk -> {
          if (body.length() + chunk.length() <= MAX_BODY) {
            body.appendBuffer(chunk);
          } else if (!response.ended()) {
            request.pause();
            if (request.version() != HttpVersion.HTTP_2) {
              response.putHeader("Connection", "close");
            }
            HtmlPage.send(response, 413, HtmlPage.message(NO_LOGIN, "The form is too long."));
          }
        });
    request.endHandler(
        end -> {
          if (!response.ended()) {
            receive.received(request);
            whole.complete(body);
          }
        });
    return whole.future();
  }

  // ---- the page of a link

  private void show(HttpServerRequest request, String ticket) {
    ask(ticket, new JsonObject().put("ask", "show").put("ticket", ticket))
        .onComplete(
            login -> HtmlPage.send(request.response(), 200, asking(login, "")),
            failure -> refuse(request, failure));
  }

  private String asking(JsonObject login, String problem) {
    String server = login.getString("server", "");
    String host = login.getString("host", "");
    StringBuilder main = new StringBuilder();
    if (!problem.isEmpty()) {
      main.append("<p class=\"warn\" role=\"alert\">")
          .append(HtmlPage.escaped(problem))
          .append("</p>");
    }
    main.append("<dl><dt>Server</dt><dd>")
        .append(HtmlPage.escaped(server))
        .append("</dd><dt>For the principal of mcpbus</dt><dd>")
        .append(HtmlPage.escaped(login.getString("principal", "")))
        .append("</dd><dt>You log in at</dt><dd><strong>")
        .append(HtmlPage.escaped(host))
        .append("</strong></dd></dl><p>mcpbus then calls the server with your account there,")
        .append(" for this principal alone.</p><p class=\"warn\">Go on only if this principal is")
        .append(" you. Whoever sent you this link for another one wants your account.</p>")
        .append("<form method=\"post\">");
    if (admissions.isRequired()) {
      main.append("<label>Your key or token for mcpbus<input type=\"password\" name=\"key\"")
          .append(" autocomplete=\"off\" required autofocus></label>");
    }
    main.append("<button class=\"main\">Log in at ")
        .append(HtmlPage.escaped(host))
        .append("</button></form>");
    return HtmlPage.of("Log in at the server " + server, main.toString());
  }

  /** The person at the browser proves to be the principal, and the browser is noted. */
  private void begin(HttpServerRequest request, String ticket, Buffer body) {
    Map<String, String> form = FormEncoding.decode(body.toString());
    String key = form == null ? null : form.get("key");
    String secret = OAuthDigests.secret();
    admissions
        .identify(request, key == null || key.isBlank() ? null : key.strip())
        .onComplete(
            principal -> {
              if (principal == null) {
                admissions.audit().refused(request, null, RefusalCode.UNAUTHORIZED);
                again(request, ticket, 401, "This key or token is not good here.");
              } else {
                begin(request, ticket, principal, secret);
              }
            },
            defect -> refuse(request, defect));
  }

  private void begin(HttpServerRequest request, String ticket, Principal principal, String secret) {
    JsonObject wish =
        new JsonObject()
            .put("ask", "begin")
            .put("ticket", ticket)
            .put("principal", principal.name())
            .put("browser", OAuthDigests.s256(secret));
    ask(ticket, wish)
        .onComplete(
            login -> {
              String page = login.getString("page", "");
              HttpServerResponse response = request.response();
              response.addCookie(cookie(request, ticket, secret).setMaxAge(COOKIE_SECONDS));
              if (isProgram(request)) {
                response
                    .putHeader("Content-Type", Route.JSON)
                    .end(new JsonObject().put("page", page).toBuffer());
              } else {
                HtmlPage.send(response, 200, HtmlPage.leaving("To the login page", page));
              }
            },
            failure -> {
              if (McpFailure.of(failure).code() == FailureCode.FORBIDDEN) {
                admissions.audit().refused(request, principal, RefusalCode.FORBIDDEN);
                again(
                    request,
                    ticket,
                    403,
                    "You are "
                        + principal.name()
                        + ", and this link is for another principal. Do not log in by links of"
                        + " others: your own call gets a link of your own.");
              } else {
                refuse(request, failure);
              }
            });
  }

  private static boolean isProgram(HttpServerRequest request) {
    return AcceptedTypes.of(request.headers()).names(Route.JSON);
  }

  /** The page once more, with what was wrong. */
  private void again(HttpServerRequest request, String ticket, int status, String problem) {
    if (isProgram(request)) {
      ProblemDocument.send(request.response(), status, problem);
      return;
    }
    ask(ticket, new JsonObject().put("ask", "show").put("ticket", ticket))
        .onComplete(
            login -> HtmlPage.send(request.response(), status, asking(login, problem)),
            failure -> refuse(request, failure));
  }

  /** The cookie of one login. Over HTTPS no other host of the domain can set one of this name. */
  private Cookie cookie(HttpServerRequest request, String named, String value) {
    boolean secure = isSecure(request);
    return Cookie.cookie(cookieName(request, named), value)
        .setHttpOnly(true)
        .setSameSite(CookieSameSite.LAX)
        .setSecure(secure)
        .setPath(secure ? "/" : CallerLogins.CALLBACK);
  }

  private String cookieName(HttpServerRequest request, String named) {
    return (isSecure(request) ? "__Host-" : "")
        + "mcpbus-login-"
        + named.substring(0, named.indexOf('.'));
  }

  private boolean isSecure(HttpServerRequest request) {
    String url = CallerLogins.of(vertx).url();
    return request.isSSL() || (url != null && url.startsWith("https:"));
  }

  // ---- the way back

  private void returned(HttpServerRequest request) {
    Map<String, String> fields = FormEncoding.decode(request.query());
    String state = fields == null ? "" : fields.getOrDefault("state", "");
    if (fields == null || !NAMED.matcher(state).matches()) {
      refuse(request, McpFailure.badRequest("this is no answer to a login that is under way"));
      return;
    }
    Cookie known = request.getCookie(cookieName(request, state));
    JsonObject all = new JsonObject();
    fields.forEach(all::put);
    JsonObject wish =
        new JsonObject()
            .put("ask", "return")
            .put("fields", all)
            .put("browser", known == null ? "" : OAuthDigests.s256(known.getValue()));
    ask(state, wish)
        .onComplete(
            login -> {
              forget(request, state);
              HtmlPage.send(
                  request.response(),
                  200,
                  HtmlPage.message(
                      "You are logged in",
                      "The server "
                          + login.getString("server")
                          + " now knows "
                          + login.getString("principal")
                          + ". This page can be closed; the program that asked for the login goes"
                          + " on, or asks again."));
            },
            failure -> {
              if (known == null) {
                admissions.audit().refused(request, null, RefusalCode.FORBIDDEN);
              } else {
                forget(request, state);
              }
              refuse(request, failure);
            });
  }

  private void forget(HttpServerRequest request, String state) {
    request.response().addCookie(cookie(request, state, "").setMaxAge(0));
  }

  // ---- the login

  /** Asks the login, wherever it waits. */
  private Future<JsonObject> ask(String named, JsonObject body) {
    Matcher parts = NAMED.matcher(named);
    if (!parts.matches()) {
      return Future.failedFuture(McpFailure.badRequest("no login has that name"));
    }
    return vertx
        .eventBus()
        .<JsonObject>request(
            Addresses.login(parts.group(1)), body, new DeliveryOptions().setSendTimeout(ASK_MILLIS))
        .map(Message::body);
  }

  private static void refuse(HttpServerRequest request, Throwable failure) {
    McpFailure why = McpFailure.of(failure);
    boolean gone =
        why.code() == FailureCode.UNKNOWN_CONNECTION || why.code() == FailureCode.UNAVAILABLE;
    int status =
        switch (why.code()) {
          case FORBIDDEN -> 403;
          case BAD_REQUEST, AUTH_REQUIRED -> 400;
          default -> gone ? 404 : 503;
        };
    String text =
        switch (status) {
          case 400, 403 -> HtmlPage.sentence(String.valueOf(why.getMessage()));
          case 404 -> "The link was used, or its time is over. The next call gets a new one.";
          default -> "mcpbus cannot answer now. Try again in a moment.";
        };
    if (status == 503) {
      LOG.warn("a page of a login has failed: {}", why.code());
    }
    if (request.method().equals(HttpMethod.POST) && isProgram(request)) {
      ProblemDocument.send(request.response(), status, text);
    } else {
      HtmlPage.send(request.response(), status, HtmlPage.message(NO_LOGIN, text));
    }
  }
}
