package dev.mcpbus.testing;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.CookieManager;
import java.net.CookiePolicy;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;

/** What a browser and a program do in a login: cookies, forms, redirects, each step by hand. */
public final class LoginBrowser {

  private static final Pattern REQUEST = Pattern.compile("name=\"request\" value=\"([^\"]+)\"");
  private static final Pattern REFRESH = Pattern.compile("content=\"0;url=([^\"]+)\"");

  private final Supplier<HttpClient> clients;

  public LoginBrowser() {
    HttpClient one = builder().build();
    clients = () -> one;
  }

  /** A browser that makes a new connection for each request, over TLS where the URL says so. */
  public LoginBrowser(SSLContext trust) {
    HttpClient.Builder builder = builder().sslContext(trust);
    clients = builder::build;
  }

  private static HttpClient.Builder builder() {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .cookieHandler(new CookieManager(null, CookiePolicy.ACCEPT_ALL));
  }

  /** Opens a page, as from another site. */
  public HttpResponse<String> open(String url, String... headers) {
    HttpRequest.Builder request = request(url).GET();
    request.headers(
        "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document");
    if (headers.length > 0) {
      request.headers(headers);
    }
    return send(request.build());
  }

  /** As a program asks. */
  public HttpResponse<String> get(String url, String... headers) {
    HttpRequest.Builder request = request(url).GET();
    if (headers.length > 0) {
      request.headers(headers);
    }
    return send(request.build());
  }

  public HttpResponse<String> post(String url, Map<String, String> form, String... headers) {
    HttpRequest.Builder request =
        request(url)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(query(form)));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return send(request.build());
  }

  public HttpResponse<String> json(String url, JsonObject body) {
    return send(
        request(url)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body.encode()))
            .build());
  }

  /** Presses a button of a consent page; the answer is that page's way on. */
  public HttpResponse<String> answer(String base, HttpResponse<String> page, String button) {
    return post(
        base + "/oauth/consent",
        Map.of("request", found(REQUEST, page), "answer", button),
        "Origin",
        base,
        "Sec-Fetch-Site",
        "same-origin");
  }

  /** Where a page leads on by itself. */
  public static String leadsTo(HttpResponse<String> page) {
    return found(REFRESH, page);
  }

  public static String request(HttpResponse<String> page) {
    return found(REQUEST, page);
  }

  /** The URL to which a program is called back when a person allows it everything. */
  public String login(String base, String authorize) {
    HttpResponse<String> consent = open(authorize);
    HttpResponse<String> leaving = answer(base, consent, "allow");
    String callback = location(open(leadsTo(leaving)));
    return location(open(callback));
  }

  public static String location(HttpResponse<String> answer) {
    return answer
        .headers()
        .firstValue("Location")
        .orElseThrow(() -> new AssertionError(answer.statusCode() + " " + answer.body()));
  }

  private static String found(Pattern pattern, HttpResponse<String> page) {
    Matcher matcher = pattern.matcher(page.body());
    if (!matcher.find()) {
      throw new AssertionError(page.statusCode() + " " + page.body());
    }
    return matcher
        .group(1)
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
  }

  public static String query(Map<String, String> fields) {
    return fields.entrySet().stream()
        .map(one -> encoded(one.getKey()) + "=" + encoded(one.getValue()))
        .collect(Collectors.joining("&"));
  }

  /** One field of a URL's query, which must be there. */
  public static String field(String url, String name) {
    String value = fields(url).get(name);
    if (value == null) {
      throw new AssertionError("no " + name + " in " + url);
    }
    return value;
  }

  /** The fields of a URL's query. */
  public static Map<String, String> fields(String url) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (String pair : url.substring(url.indexOf('?') + 1).split("&", -1)) {
      String[] parts = pair.split("=", 2);
      fields.put(
          URLDecoder.decode(parts[0], StandardCharsets.UTF_8),
          URLDecoder.decode(parts.length < 2 ? "" : parts[1], StandardCharsets.UTF_8));
    }
    return fields;
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static HttpRequest.Builder request(String url) {
    return HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofSeconds(60));
  }

  private HttpResponse<String> send(HttpRequest request) {
    try {
      return clients.get().send(request, BodyHandlers.ofString());
    } catch (IOException e) {
      throw new AssertionError("no answer to " + request, e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
