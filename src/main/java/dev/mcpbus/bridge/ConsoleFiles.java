package dev.mcpbus.bridge;

import dev.mcpbus.internals.AcceptedTypes;
import dev.mcpbus.security.MountPath;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The console for browsers: its document at {@code /} for a request that accepts HTML, its files
 * under {@code /console/}. The table names every file that there is, so no path is made from a
 * request. The files have no secret and are answered before the admission, because the page has to
 * ask for a key first; what it shows comes from requests with a credential. They are read from the
 * class path by the first browser that asks. Used on the bridge's context.
 */
final class ConsoleFiles {

  private static final String ROOT = "/";
  private static final String DOCUMENT = "index.html";

  /** The document of an app of a server: the only one that may run what a server wrote. */
  private static final String APP = "app.html";

  private static final String PREFIX = MountPath.CONSOLE.root() + "/";
  private static final String WEBJARS = "META-INF/resources/webjars/";

  private static final List<String> OWN =
      List.of(
          """
          index.html app.html api.js bus-socket.js console.css icon.svg login.js main.js sign-in.js
          store.js streams.js
          pages/calls.js pages/cluster.js pages/connection.js pages/connections.js
          pages/credentials.js pages/health.js pages/inputs.js pages/metrics.js pages/prompts.js
          pages/resources.js pages/skills.js pages/tools.js pages/traffic.js
          parts/add-server.js parts/app-frame.js parts/app-rules.js parts/blocks.js
          parts/catalog.js parts/charts.js parts/content.js parts/element.js parts/exact-json.js
          parts/export.js parts/json-tree.js parts/markdown-worker.js parts/markdown.js
          parts/offers.js parts/paged.js parts/schema-form.js parts/schema.js parts/snippets.js
          parts/time.js parts/tool-call.js parts/uri-template.js parts/virtual-list.js
          parts/visible-text.js
          """
              .split("\\s+"));

  /** The script that reads text of servers in a thread of its own. */
  private static final String WORKER = "parts/markdown-worker.js";

  /** By their place under {@code lib/}: where the library has them. */
  private static final Map<String, String> LIBRARIES =
      Map.of(
          "lit-html/lit-html.js", "lit-html/3.3.2/lit-html.js",
          "lit-html/directive.js", "lit-html/3.3.2/directive.js",
          "lit-html/directive-helpers.js", "lit-html/3.3.2/directive-helpers.js",
          "lit-html/directives/live.js", "lit-html/3.3.2/directives/live.js",
          "lit-html/directives/repeat.js", "lit-html/3.3.2/directives/repeat.js",
          "marked/marked.esm.js", "marked/12.0.2/lib/marked.esm.js");

  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml");

  /**
   * Its own files and answers, pictures that stand in an answer, and no string becomes markup but
   * by the templates of lit-html.
   */
  static final String PAGE_POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src"
          + " data:; connect-src 'self'; frame-src 'self'; worker-src 'self'; base-uri 'none';"
          + " form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script';"
          + " trusted-types lit-html markdown-worker";

  /** A worker loads its modules and nothing else, sends nothing, and runs no string. */
  static final String WORKER_POLICY =
      "default-src 'none'; script-src 'self'; require-trusted-types-for 'script'; trusted-types"
          + " 'none'";

  /**
   * The browser runs what a server wrote as an origin of its own and loads nothing for it; only the
   * console may frame it. No policy of browsers forbids WebRTC, so the console asks a person first.
   */
  static final String APP_POLICY =
      "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src"
          + " 'unsafe-inline'; img-src data: blob:; media-src data: blob:; font-src data:; base-uri"
          + " 'none'; form-action 'none'; frame-ancestors 'self'";

  private static final Map<String, String> POLICIES =
      Map.of(APP, APP_POLICY, WORKER, WORKER_POLICY);

  private static final CharSequence POLICY = HttpHeaders.createOptimized("Content-Security-Policy");

  /**
   * @param tag for {@code If-None-Match}
   */
  record ConsoleFile(Buffer body, String type, String tag, String policy) {}

  private final Vertx vertx;
  private @Nullable Future<Map<String, ConsoleFile>> files;

  ConsoleFiles(Vertx vertx) {
    this.vertx = vertx;
  }

  /** Answers a request for a file of the console; false, without an answer, for other requests. */
  boolean answers(HttpServerRequest request) {
    String name = name(request);
    if (name == null) {
      return false;
    }
    Future<Map<String, ConsoleFile>> known = files;
    if (known == null || known.failed()) {
      known = vertx.executeBlocking(ConsoleFiles::read);
      files = known;
    }
    known
        .onSuccess(all -> send(request, Objects.requireNonNull(all.get(name))))
        .onFailure(
            missing ->
                ProblemDocument.send(
                    request.response(), 404, String.valueOf(missing.getMessage())));
    return true;
  }

  /** The file that a request asks for; null if it asks for none. */
  private static @Nullable String name(HttpServerRequest request) {
    HttpMethod method = request.method();
    String path = String.valueOf(request.path());
    if (!method.equals(HttpMethod.GET) && !method.equals(HttpMethod.HEAD)) {
      return null;
    }
    if (path.equals(ROOT)) {
      return AcceptedTypes.of(request.headers()).names("text/html") ? DOCUMENT : null;
    }
    String name = path.startsWith(PREFIX) ? path.substring(PREFIX.length()) : "";
    String library = name.startsWith("lib/") ? name.substring("lib/".length()) : "";
    return OWN.contains(name) || LIBRARIES.containsKey(library) ? name : null;
  }

  /** Every name of a file, for the tests. */
  static List<String> names() {
    return List.copyOf(table().keySet());
  }

  /** The place of each file on the class path. */
  private static Map<String, String> table() {
    Map<String, String> places = new LinkedHashMap<>();
    OWN.forEach(name -> places.put(name, "console/" + name));
    LIBRARIES.forEach((name, place) -> places.put("lib/" + name, WEBJARS + place));
    return places;
  }

  /** Reads all files; blocks. */
  static Map<String, ConsoleFile> read() throws IOException {
    Map<String, ConsoleFile> all = new LinkedHashMap<>();
    for (Map.Entry<String, String> one : table().entrySet()) {
      String name = one.getKey();
      Buffer body = bytes(one.getValue());
      String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
      all.put(
          name,
          new ConsoleFile(
              body,
              Objects.requireNonNull(type, name),
              tag(body),
              POLICIES.getOrDefault(name, PAGE_POLICY)));
    }
    return Map.copyOf(all);
  }

  private static Buffer bytes(String place) throws IOException {
    try (InputStream in = ConsoleFiles.class.getClassLoader().getResourceAsStream(place)) {
      if (in == null) {
        throw new FileNotFoundException(
            "the console is not complete: the class path lacks "
                + place
                + "; a program that embeds mcpbus adds the libraries lit-html and marked of"
                + " src/docs/embedding.md, or switches the console off with \"bridge\":"
                + " {\"console\": false}");
      }
      return Buffer.buffer(in.readAllBytes());
    }
  }

  private static String tag(Buffer body) {
    return '"' + UUID.nameUUIDFromBytes(body.getBytes()).toString() + '"';
  }

  private static void send(HttpServerRequest request, ConsoleFile file) {
    HttpServerResponse response = request.response();
    if (response.closed() || response.ended()) {
      return;
    }
    response
        .putHeader(POLICY, file.policy())
        .putHeader(HttpHeaders.CACHE_CONTROL, "no-cache") // asked for again each time, by its tag
        .putHeader(HttpHeaders.ETAG, file.tag())
        .putHeader("Cross-Origin-Opener-Policy", "same-origin")
        // Pages of others neither read them nor learn that they are there.
        .putHeader("Cross-Origin-Resource-Policy", "same-origin")
        .putHeader("X-DNS-Prefetch-Control", "off");
    if (String.valueOf(request.path()).equals(ROOT)) {
      response.headers().add(HttpHeaders.VARY, "Accept");
    }
    if (file.tag().equals(request.getHeader(HttpHeaders.IF_NONE_MATCH))) {
      response.setStatusCode(304).end();
      return;
    }
    response.putHeader(HttpHeaders.CONTENT_TYPE, file.type());
    if (request.method().equals(HttpMethod.HEAD)) {
      response.putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(file.body().length())).end();
    } else {
      response.end(file.body());
    }
  }
}
