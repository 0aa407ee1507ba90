package dev.mcpbus.testing;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A browser without scripts: it keeps cookies, follows redirects and refreshes, and posts forms as
 * a person fills them in. Cookies belong to a host, whatever its port. Where a page's policy names
 * where its forms may lead, a form that leads elsewhere fails, also by a redirect, as it does in
 * Chromium.
 */
public final class FormBrowser {

  private static final int MOST_STEPS = 20;
  private static final Pattern TAG =
      Pattern.compile("<(form|input|button|meta)\\b([^>]*)>", Pattern.CASE_INSENSITIVE);
  private static final Pattern ATTRIBUTE =
      Pattern.compile("([a-zA-Z-]+)\\s*=\\s*(?:\"([^\"]*)\"|'([^']*)'|([^\\s>]+))");

  /** A page that is not left by a redirect. */
  public record Page(URI uri, int status, HttpHeaders headers, String html) {

    /** The values of the inputs of its first form, by name. */
    public Map<String, String> fields() {
      Map<String, String> fields = new LinkedHashMap<>();
      for (Map<String, String> tag : tags("input")) {
        boolean off =
            List.of("checkbox", "radio").contains(tag.getOrDefault("type", "text"))
                && !tag.containsKey("checked");
        if (tag.containsKey("name") && !off) {
          fields.put(tag.getOrDefault("name", ""), tag.getOrDefault("value", ""));
        }
      }
      return fields;
    }

    /** The buttons of its forms, as {@code name=value}. */
    public List<String> buttons() {
      return tags("button").stream()
          .map(tag -> tag.getOrDefault("name", "") + "=" + tag.getOrDefault("value", ""))
          .toList();
    }

    /** Where the page itself leads at once; empty for nowhere. */
    private String leadsTo() {
      return tags("meta").stream()
          .filter(tag -> tag.getOrDefault("http-equiv", "").equalsIgnoreCase("refresh"))
          .map(tag -> tag.getOrDefault("content", "").replaceFirst("^0; ?url=", ""))
          .findFirst()
          .orElse("");
    }

    /** Whether its forms say where they come from: browsers hide it with the referrer. */
    private boolean isNamed() {
      return !headers.firstValue("Referrer-Policy").orElse("").equals("no-referrer");
    }

    private URI action() {
      String action = tags("form").get(0).getOrDefault("action", "");
      return action.isEmpty() ? uri : uri.resolve(action);
    }

    private List<Map<String, String>> tags(String kind) {
      List<Map<String, String>> tags = new ArrayList<>();
      Matcher tag = TAG.matcher(html);
      while (tag.find()) {
        if (tag.group(1).equalsIgnoreCase(kind)) {
          Map<String, String> attributes = new LinkedHashMap<>();
          Matcher one = ATTRIBUTE.matcher(tag.group(2));
          while (one.find()) {
            String value =
                Stream.of(2, 3, 4).map(one::group).filter(Objects::nonNull).findFirst().orElse("");
            attributes.put(one.group(1).toLowerCase(Locale.ROOT), unescape(value));
          }
          tags.add(attributes);
        }
      }
      return tags;
    }

    private static String unescape(String text) {
      return text.replace("&lt;", "<")
          .replace("&gt;", ">")
          .replace("&quot;", "\"")
          .replace("&#39;", "'")
          .replace("&#x27;", "'")
          .replace("&amp;", "&");
    }

    /** Where its forms may lead, by its policy; empty for anywhere. */
    private List<String> formTargets() {
      return headers.allValues("Content-Security-Policy").stream()
          .flatMap(policy -> List.of(policy.split(";", -1)).stream())
          .map(String::strip)
          .filter(directive -> directive.startsWith("form-action"))
          .flatMap(directive -> List.of(directive.split(" +", -1)).stream().skip(1))
          .toList();
    }
  }

  private record Cookie(String host, String path, String name, String value) {

    boolean isFor(URI uri) {
      String at = uri.getPath().isEmpty() ? "/" : uri.getPath();
      return host.equals(uri.getHost())
          && (at.equals(path) || at.startsWith(path.endsWith("/") ? path : path + "/"));
    }

    boolean isSame(Cookie other) {
      return host.equals(other.host) && path.equals(other.path) && name.equals(other.name);
    }
  }

  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();
  private final List<Cookie> cookies = new ArrayList<>();
  private final List<URI> visited = new ArrayList<>();

  /** Every address that it has asked for, in order. */
  public List<URI> visited() {
    return List.copyOf(visited);
  }

  /** The names of its cookies. */
  public List<String> cookieNames() {
    return cookies.stream().map(Cookie::name).toList();
  }

  /** Opens an address and follows its redirects. */
  public Page open(URI uri) {
    return follow(uri, null, Map.of(), address -> false);
  }

  /**
   * Posts the first form of a page.
   *
   * @param filled in place of what its inputs say; the button that is pressed is one of these
   */
  public Page submit(Page page, Map<String, String> filled) {
    return submit(page, filled, address -> false);
  }

  /**
   * The same, up to an address that is not asked for but given.
   *
   * @param last that address; the status of its page is 0
   */
  public Page submit(Page page, Map<String, String> filled, Predicate<URI> last) {
    Map<String, String> fields = new LinkedHashMap<>(page.fields());
    fields.putAll(filled);
    return follow(page.action(), page, fields, last);
  }

  /**
   * Goes where a client sends a person, and says yes to all that the pages ask.
   *
   * @param person the name that is typed in at the login page of {@link IdentityProvider}
   * @param last the address of the client itself, which is not asked for but given
   */
  public URI signIn(URI start, String person, Predicate<URI> last) {
    Page page = walk(start, person, last);
    if (page.status() != 0) {
      throw new AssertionError(page.status() + " at " + page.uri() + ": " + page.html());
    }
    return page.uri();
  }

  /** The same for a client that listens itself; gives the page that it shows in the end. */
  public Page signIn(URI start, String person) {
    return walk(start, person, address -> false);
  }

  private Page walk(URI start, String person, Predicate<URI> last) {
    Page page = follow(start, null, Map.of(), last);
    for (int step = 0; step < MOST_STEPS; step++) {
      Map<String, String> filled = yes(page, person);
      if (filled.isEmpty()) {
        return page;
      }
      page = submit(page, filled, last);
    }
    throw new AssertionError("asked without end: " + visited);
  }

  /** What a person who agrees fills in; empty where the page asks nothing. */
  private static Map<String, String> yes(Page page, String person) {
    if (page.fields().containsKey("login")) {
      return Map.of("login", person, "do", "login");
    }
    String userCode = page.fields().getOrDefault("user_code", "");
    if (!userCode.isEmpty()) {
      return Map.of("user_code", userCode);
    }
    for (String button : page.buttons()) {
      String value = button.substring(button.indexOf('=') + 1);
      if (List.of("allow", "approve", "consent", "yes").contains(value)) {
        return Map.of(button.substring(0, button.indexOf('=')), value);
      }
    }
    return Map.of();
  }

  /** Status 0 says that the address is {@code last}. */
  private Page follow(
      URI start, @Nullable Page from, Map<String, String> form, Predicate<URI> last) {
    URI uri = start;
    Page sender = from;
    boolean posts = from != null;
    for (int step = 0; step < MOST_STEPS; step++) {
      allowed(sender, uri);
      if (last.test(uri)) {
        return new Page(uri, 0, HttpHeaders.of(Map.of(), (name, value) -> true), "");
      }
      HttpResponse<String> answer = send(uri, posts ? sender : null, form);
      Page page = new Page(uri, answer.statusCode(), answer.headers(), answer.body());
      String location = answer.headers().firstValue("Location").orElse("");
      if (answer.statusCode() / 100 == 3 && !location.isEmpty()) {
        posts &= answer.statusCode() == 307 || answer.statusCode() == 308;
      } else {
        location = page.leadsTo();
        if (location.isEmpty()) {
          return page;
        }
        sender = null;
        posts = false;
      }
      uri = uri.resolve(location);
    }
    throw new AssertionError("redirected without end: " + visited);
  }

  private static void allowed(@Nullable Page from, URI to) {
    if (from == null || from.formTargets().isEmpty()) {
      return;
    }
    boolean allowed =
        from.formTargets().stream()
            .anyMatch(
                target ->
                    target.equals("'self'")
                        ? origin(from.uri()).equals(origin(to))
                        : target.equals("*")
                            || target.equals(to.getScheme() + ":")
                            || (to + "/").startsWith(target));
    if (!allowed) {
      throw new AssertionError(
          "the form of " + from.uri() + " may lead to " + from.formTargets() + ", not to " + to);
    }
  }

  private static String origin(URI uri) {
    return uri.getScheme() + "://" + uri.getRawAuthority();
  }

  private HttpResponse<String> send(URI uri, @Nullable Page from, Map<String, String> form) {
    visited.add(uri);
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri)
            .timeout(Duration.ofSeconds(60))
            .header("Accept", "text/html,*/*;q=0.8")
            .header("Sec-Fetch-Mode", "navigate")
            .header("Sec-Fetch-Dest", "document");
    String held =
        cookies.stream()
            .filter(cookie -> cookie.isFor(uri))
            .map(cookie -> cookie.name() + "=" + cookie.value())
            .collect(Collectors.joining("; "));
    if (!held.isEmpty()) {
      request.header("Cookie", held);
    }
    if (from != null) {
      request
          .header("Origin", from.isNamed() ? origin(from.uri()) : "null")
          .header("Content-Type", "application/x-www-form-urlencoded")
          .POST(BodyPublishers.ofString(encoded(form)));
    }
    try {
      HttpResponse<String> answer = client.send(request.build(), BodyHandlers.ofString());
      answer.headers().allValues("Set-Cookie").forEach(cookie -> keep(uri, cookie));
      return answer;
    } catch (IOException e) {
      throw new AssertionError("no answer from " + uri, e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** One field of the query of an address, which must be there. */
  public static String field(URI uri, String name) {
    return LoginBrowser.field(uri.toString(), name);
  }

  /** A form, or a query, of these fields. */
  public static String encoded(Map<String, String> fields) {
    return fields.entrySet().stream()
        .map(field -> encoded(field.getKey()) + "=" + encoded(field.getValue()))
        .collect(Collectors.joining("&"));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private void keep(URI uri, String header) {
    String[] parts = header.split(";", -1);
    int equals = parts[0].indexOf('=');
    String path = "/";
    boolean over = false;
    for (String part : parts) {
      String attribute = part.strip().toLowerCase(Locale.ROOT);
      if (attribute.startsWith("path=")) {
        path = part.strip().substring(5);
      }
      over |= attribute.equals("max-age=0") || attribute.contains("01 jan 1970");
    }
    Cookie cookie =
        new Cookie(
            uri.getHost(),
            path,
            parts[0].substring(0, equals).strip(),
            parts[0].substring(equals + 1).strip());
    cookies.removeIf(cookie::isSame);
    if (!over) {
      cookies.add(cookie);
    }
  }
}
