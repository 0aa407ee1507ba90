package dev.mcpbus.testing;

import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A protected MCP server, its authorization server and a browser, on one loopback port. What the
 * servers say can be changed while they run. The MCP server speaks Streamable HTTP at {@code /mcp}
 * and HTTP+SSE at {@code /sse}.
 */
public final class OAuthWorld implements AutoCloseable {

  /** What the MCP server says to {@code initialize}. */
  public static final JsonObject HELLO =
      new JsonObject()
          .put("protocolVersion", "2025-11-25")
          .put("capabilities", new JsonObject())
          .put("serverInfo", new JsonObject().put("name", "guarded").put("version", "1"));

  /** A request that was received; the body's fields where it was a form; the raw query. */
  public record Seen(
      String path,
      MultiMap headers,
      String body,
      Map<String, String> fields,
      @Nullable String query) {}

  /** What the token endpoint says. */
  public record Answer(int status, JsonObject body) {}

  /** Documents by path; what is not here is 404. */
  public final Map<String, JsonObject> documents = new ConcurrentHashMap<>();

  /** Locations by path, told with 302. */
  public final Map<String, String> redirects = new ConcurrentHashMap<>();

  /** Statuses by path that come before the usual answer, 0 for a connection that is closed. */
  public final Map<String, Queue<Integer>> troubles = new ConcurrentHashMap<>();

  /** Goes with each of {@link #troubles}; null for none. */
  public volatile @Nullable String retryAfter;

  /** Tokens that the MCP server takes, with their scopes. */
  public final Map<String, Set<String>> valid = new ConcurrentHashMap<>();

  /** Added to the browser's way back, or put in the place of what is there; empty removes. */
  public final Map<String, String> callback = new ConcurrentHashMap<>();

  public volatile Function<Map<String, String>, Answer> tokenAnswer = this::issue;

  /** The result of a JSON-RPC request to the MCP server. */
  public volatile Function<JsonObject, JsonObject> results = OAuthWorld::result;

  public volatile @Nullable String challenge = "Bearer";
  public volatile Set<String> needed = Set.of();
  public volatile boolean holdTokens;

  /** Whether the token endpoint answers with forms, as GitHub's does without {@code Accept}. */
  public volatile boolean answersForms;

  /** Added to the answer of the registration endpoint. */
  public final JsonObject registration = new JsonObject();

  /** How the MCP server refuses a request without a valid token. */
  public volatile int refusal = 401;

  /** The nonces that proofs need at the token endpoint and at the MCP server; null for none. */
  public volatile @Nullable String tokenNonce;

  public volatile @Nullable String resourceNonce;

  /** The MCP server refuses every proof with a nonce that it has not told before. */
  public volatile boolean anyNonceIsWrong;

  private final Vertx vertx;
  private final HttpServer server;
  private final HttpClient browser;
  private final int port;
  private final List<Seen> seen = new CopyOnWriteArrayList<>();
  private final List<Runnable> held = new ArrayList<>();
  private final AtomicInteger tokens = new AtomicInteger();
  private final AtomicInteger clients = new AtomicInteger();

  public OAuthWorld(Vertx vertx) {
    this.vertx = vertx;
    this.browser = vertx.createHttpClient();
    this.server =
        vertx
            .createHttpServer()
            .requestHandler(request -> request.body().onSuccess(body -> handle(request, body)))
            .listen(0, "127.0.0.1")
            .await();
    this.port = server.actualPort();
    documents.put(
        "/.well-known/oauth-protected-resource/mcp",
        new JsonObject()
            .put("resource", url().toString())
            .put("authorization_servers", new JsonArray().add(issuer())));
    documents.put(
        "/.well-known/oauth-protected-resource/sse",
        new JsonObject()
            .put("resource", sse().toString())
            .put("authorization_servers", new JsonArray().add(issuer())));
    documents.put("/.well-known/oauth-authorization-server/as", metadata());
  }

  /** One whose MCP server shakes hands, and answers all else with nothing. */
  public static OAuthWorld connectable(Vertx vertx) {
    OAuthWorld world = new OAuthWorld(vertx);
    world.results =
        request ->
            "initialize".equals(request.getString("method")) ? HELLO.copy() : new JsonObject();
    return world;
  }

  /** The entry of the MCP server. */
  public JsonObject entry() {
    return new JsonObject().put("url", url().toString()).put("oauth", new JsonObject());
  }

  /** The same, where each principal logs in itself. */
  public JsonObject callersEntry() {
    return entry().put("identity", "caller");
  }

  public URI url() {
    return URI.create(base() + "/mcp");
  }

  public URI sse() {
    return URI.create(base() + "/sse");
  }

  public String base() {
    return "http://127.0.0.1:" + port;
  }

  public String issuer() {
    return base() + "/as";
  }

  /** The authorization server's metadata; a fresh copy. */
  public JsonObject metadata() {
    return new JsonObject()
        .put("issuer", issuer())
        .put("authorization_endpoint", base() + "/authorize")
        .put("token_endpoint", base() + "/token")
        .put("registration_endpoint", base() + "/register")
        .put("code_challenge_methods_supported", new JsonArray().add("S256"));
  }

  public void metadata(JsonObject changes) {
    documents.put("/.well-known/oauth-authorization-server/as", metadata().mergeIn(changes));
  }

  /** Lets the next requests to this path fail with these statuses. */
  public void trouble(String path, Integer... statuses) {
    troubles.put(path, new ConcurrentLinkedQueue<>(List.of(statuses)));
  }

  public void resource(JsonObject changes) {
    documents.computeIfPresent(
        "/.well-known/oauth-protected-resource/mcp", (path, old) -> old.copy().mergeIn(changes));
  }

  public List<Seen> seen(String path) {
    return seen.stream().filter(one -> one.path().equals(path)).toList();
  }

  public List<Seen> seen() {
    return List.copyOf(seen);
  }

  /** Requests to the token endpoint with this grant. */
  public List<Seen> grants(String grantType) {
    return seen("/token").stream()
        .filter(one -> grantType.equals(one.fields().get("grant_type")))
        .toList();
  }

  /** Lets the token requests go on that {@link #holdTokens} has kept. */
  public void release() {
    synchronized (held) {
      holdTokens = false;
      held.forEach(Runnable::run);
      held.clear();
    }
  }

  /** Keeps the answer of a token request, or gives it if none are kept. */
  private void hold(Runnable answer) {
    synchronized (held) {
      if (holdTokens) {
        held.add(() -> vertx.runOnContext(nothing -> answer.run()));
        return;
      }
    }
    answer.run();
  }

  /** What a person does: opens the page, is sent back. */
  public void browse(URI page) {
    open(page.toString());
  }

  private void open(String url) {
    browser
        .request(new RequestOptions().setAbsoluteURI(url).setMethod(HttpMethod.GET))
        .compose(request -> request.send())
        .onSuccess(
            response -> {
              String location = response.getHeader("location");
              if (location != null) {
                open(location);
              }
            });
  }

  /** The usual answer: a new token, and a new refresh token. */
  public Answer issue(Map<String, String> form) {
    int n = tokens.incrementAndGet();
    String scope = form.getOrDefault("scope", "");
    if ("authorization_code".equals(form.get("grant_type"))) {
      scope = String.valueOf(lastScope);
    }
    valid.put("at-" + n, Set.of(scope.split(" ")));
    return new Answer(
        200,
        new JsonObject()
            .put("access_token", "at-" + n)
            .put("token_type", "Bearer")
            .put("expires_in", 3600)
            .put("refresh_token", "rt-" + n)
            .put("scope", scope.isEmpty() ? null : scope));
  }

  private volatile @Nullable HttpServerResponse stream;
  private volatile @Nullable String lastScope = "";

  public static Map<String, String> fields(@Nullable String form) {
    Map<String, String> fields = new LinkedHashMap<>();
    if (form != null && form.contains("=")) {
      for (String pair : form.split("&", -1)) {
        int equals = pair.indexOf('=');
        if (equals > 0) {
          fields.put(
              pair.substring(0, equals),
              URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8));
        }
      }
    }
    return fields;
  }

  private void handle(HttpServerRequest request, Buffer body) {
    String path = request.path();
    String text = body.toString();
    Map<String, String> fields = fields(path.equals("/authorize") ? request.query() : text);
    seen.add(new Seen(path, request.headers(), text, fields, request.query()));
    Queue<Integer> waiting = troubles.get(path);
    Integer trouble = waiting == null ? null : waiting.poll();
    if (trouble != null) {
      if (trouble == 0) {
        request.connection().close();
        return;
      }
      String later = retryAfter;
      if (later != null) {
        request.response().putHeader("retry-after", later);
      }
      json(request, new Answer(trouble, new JsonObject()));
      return;
    }
    String location = redirects.get(path);
    if (location != null) {
      request.response().setStatusCode(302).putHeader("location", location).end();
    } else if (List.of("/mcp", "/sse", "/messages").contains(path)) {
      guarded(request, text);
    } else if (path.equals("/authorize")) {
      authorize(request, fields);
    } else if (path.equals("/token")) {
      Runnable answer =
          () -> {
            if (!hasNonce(request, tokenNonce)) {
              json(request, new Answer(400, new JsonObject().put("error", "use_dpop_nonce")));
            } else if (answersForms) {
              form(request, tokenAnswer.apply(fields));
            } else {
              json(request, tokenAnswer.apply(fields));
            }
          };
      hold(answer);
    } else if (path.equals("/register")) {
      json(
          request,
          new Answer(
              201,
              new JsonObject(text)
                  .put("client_id", "dcr-" + clients.incrementAndGet())
                  .mergeIn(registration)));
    } else {
      JsonObject document = documents.get(path);
      json(
          request,
          document == null ? new Answer(404, new JsonObject()) : new Answer(200, document));
    }
  }

  private static void form(HttpServerRequest request, Answer answer) {
    StringBuilder form = new StringBuilder();
    answer
        .body()
        .forEach(
            field ->
                form.append(form.isEmpty() ? "" : "&")
                    .append(field.getKey())
                    .append('=')
                    .append(
                        URLEncoder.encode(
                            String.valueOf(field.getValue()), StandardCharsets.UTF_8)));
    request
        .response()
        .setStatusCode(answer.status())
        .putHeader("content-type", "application/x-www-form-urlencoded; charset=utf-8")
        .end(form.toString());
  }

  private static void json(HttpServerRequest request, Answer answer) {
    request
        .response()
        .setStatusCode(answer.status())
        .putHeader("content-type", "application/json")
        .end(answer.body().encode());
  }

  private void authorize(HttpServerRequest request, Map<String, String> query) {
    lastScope = query.getOrDefault("scope", "");
    Map<String, String> back = new LinkedHashMap<>();
    back.put("code", "code-1");
    back.put("state", query.getOrDefault("state", ""));
    back.putAll(callback);
    StringBuilder location = new StringBuilder(query.getOrDefault("redirect_uri", "") + "?x=y");
    back.forEach(
        (name, value) -> {
          if (!value.isEmpty()) {
            location
                .append('&')
                .append(name)
                .append('=')
                .append(URLEncoder.encode(value, StandardCharsets.UTF_8));
          }
        });
    request.response().setStatusCode(302).putHeader("location", location.toString()).end();
  }

  private static JsonObject result(JsonObject call) {
    return "initialize".equals(call.getString("method"))
        ? HELLO
        : new JsonObject().put("n", call.getValue("id"));
  }

  /** A token bound to the key of the proof, where the request has one. */
  public Answer bind(Map<String, String> form) {
    Answer answer = issue(form);
    answer.body().put("token_type", "DPoP");
    return answer;
  }

  /** Tells the nonce, too, if the proof has another. */
  private static boolean hasNonce(HttpServerRequest request, @Nullable String nonce) {
    if (nonce == null) {
      return true;
    }
    request.response().putHeader("DPoP-Nonce", nonce);
    String proof = request.getHeader("dpop");
    return proof != null && nonce.equals(DpopProof.of(proof).claims().getString("nonce"));
  }

  private void guarded(HttpServerRequest request, String body) {
    String header = String.valueOf(request.getHeader("authorization"));
    boolean proven = header.startsWith("DPoP ");
    Set<String> scopes =
        header.startsWith("Bearer ")
            ? valid.get(header.substring(7))
            : proven ? valid.get(header.substring(5)) : null;
    String said = challenge;
    if (anyNonceIsWrong) {
      resourceNonce = "r-" + seen.size();
    }
    if (proven && !hasNonce(request, resourceNonce)) {
      request
          .response()
          .setStatusCode(401)
          .putHeader("www-authenticate", "DPoP error=\"use_dpop_nonce\"")
          .end();
    } else if (scopes == null) {
      var response = request.response().setStatusCode(refusal);
      if (said != null) {
        response.putHeader("www-authenticate", said);
      }
      response.end();
    } else if (!scopes.containsAll(needed)) {
      request
          .response()
          .setStatusCode(403)
          .putHeader(
              "www-authenticate",
              "Bearer error=\"insufficient_scope\", scope=\"" + String.join(" ", needed) + "\"")
          .end();
    } else if (request.method().equals(HttpMethod.POST) && !request.path().equals("/sse")) {
      mcp(request, new JsonObject(body));
    } else if (request.method().equals(HttpMethod.GET) && request.path().equals("/sse")) {
      stream = request.response().setChunked(true).putHeader("content-type", "text/event-stream");
      stream.write("event: endpoint\ndata: /messages\n\n");
    } else {
      request.response().setStatusCode(405).end();
    }
  }

  private void mcp(HttpServerRequest request, JsonObject call) {
    Object id = call.getValue("id");
    HttpServerResponse events = request.path().equals("/messages") ? stream : null;
    JsonObject answer =
        id == null
            ? new JsonObject()
            : new JsonObject()
                .put("jsonrpc", "2.0")
                .put("id", id)
                .put("result", results.apply(call));
    if (id != null && events != null) {
      events.write("data: " + answer.encode() + "\n\n");
    }
    boolean elsewhere = id == null || events != null;
    json(request, new Answer(elsewhere ? 202 : 200, elsewhere ? new JsonObject() : answer));
  }

  /** Ends the event stream that was opened last, and with it the session. */
  public void cut() {
    HttpServerResponse events = stream;
    if (events != null) {
      events.end();
    }
  }

  @Override
  public void close() {
    server.close().await();
  }
}
