package dev.mcpbus.security.signin;

import dev.mcpbus.security.HtmlPage;
import dev.mcpbus.security.oauth.FormEncoding;
import dev.mcpbus.security.oauth.OAuthDigests;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.Cookie;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One request to the sign-in: its fields, its cookies and its answer. Used on the context of the
 * HTTP verticle.
 *
 * @param own our URL as this request knows it
 * @param body empty for none
 */
record SignInRequest(HttpServerRequest http, OwnUrl own, Buffer body) {

  /** Seconds: as long as a login may take. */
  static final int COOKIE_SECONDS = 600;

  private static final Pattern VALUE = Pattern.compile("[A-Za-z0-9_-]{43}");

  boolean isGet() {
    return http.method().equals(HttpMethod.GET);
  }

  boolean isPost() {
    return http.method().equals(HttpMethod.POST);
  }

  /**
   * The fields of the query for GET, of the form for POST.
   *
   * @throws SignInRefusal if they are malformed or one stands twice (RFC 6749, section 3.1)
   */
  Map<String, String> fields() throws SignInRefusal {
    String type = String.valueOf(http.getHeader(HttpHeaders.CONTENT_TYPE)).toLowerCase(Locale.ROOT);
    if (isPost() && !type.startsWith(FormEncoding.TYPE)) {
      throw SignInRefusal.json("invalid_request", "the body is no form: " + FormEncoding.TYPE);
    }
    Map<String, String> fields = FormEncoding.decode(isPost() ? body.toString() : http.query());
    if (fields == null) {
      throw SignInRefusal.json("invalid_request", "a parameter is malformed or stands twice");
    }
    return fields;
  }

  /** The field; throws where it is missing. */
  static String field(Map<String, String> fields, String name) throws SignInRefusal {
    String value = fields.getOrDefault(name, "");
    if (value.isEmpty()) {
      throw SignInRefusal.json("invalid_request", "the parameter " + name + " is missing");
    }
    return value;
  }

  /** The random value of a cookie of ours; null for none. */
  @Nullable String cookie(String name) {
    Cookie cookie = http.getCookie(name(name));
    return cookie != null && VALUE.matcher(cookie.getValue()).matches() ? cookie.getValue() : null;
  }

  /** Gives the browser a cookie with a random value, or keeps that which it has; returns it. */
  String keptCookie(String name) {
    String known = cookie(name);
    String value = known == null ? OAuthDigests.secret() : known;
    http.response()
        .headers()
        .add(
            HttpHeaders.SET_COOKIE,
            name(name)
                + "="
                + value
                + "; Path=/; Max-Age="
                + COOKIE_SECONDS
                + "; HttpOnly; SameSite=Lax"
                + (own.isSecure() ? "; Secure" : ""));
    return value;
  }

  private String name(String name) {
    return (own.isSecure() ? "__Host-" : "") + name;
  }

  /** Whether the request comes from a page of ours, as far as the browser says where from. */
  boolean isFromOwnPage() {
    String origin = http.getHeader(HttpHeaders.ORIGIN);
    String site = http.getHeader("Sec-Fetch-Site");
    return (origin == null || origin.equalsIgnoreCase(own.base()))
        && (site == null || site.equals("same-origin"));
  }

  void json(int status, JsonObject document) {
    HttpServerResponse response = http.response();
    if (!response.ended() && !response.closed()) {
      response
          .setStatusCode(status)
          .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
          .end(document.toBuffer());
    }
  }

  /**
   * @param html a page of {@link HtmlPage}
   */
  void page(int status, String html) {
    HttpServerResponse response = http.response();
    if (!response.ended() && !response.closed()) {
      HtmlPage.send(response, status, html);
    }
  }

  /** Sends the browser to a place that was checked before. */
  void redirect(String url) {
    HttpServerResponse response = http.response();
    if (!response.ended() && !response.closed()) {
      response.setStatusCode(303).putHeader(HttpHeaders.LOCATION, url).end();
    }
  }
}
