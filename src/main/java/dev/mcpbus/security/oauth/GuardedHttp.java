package dev.mcpbus.security.oauth;

import dev.mcpbus.internals.AddressRace;
import dev.mcpbus.internals.HttpConnections;
import dev.mcpbus.internals.InternalContext;
import dev.mcpbus.protocol.HeaderValue;
import dev.mcpbus.protocol.OutboundProxy;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.protocol.UrlPlace;
import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import dev.mcpbus.security.oauth.UrlGuard.Checked;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP client for metadata, tokens and entries of registries: connects only to addresses that
 * {@link UrlGuard} has checked, or through the configured proxy, follows no redirect but one of a
 * GET within its origin, bounds size and time. Where a server cannot answer now, {@link #patiently}
 * sends again after a pause. It holds the strong reference to its HTTP client, which belongs to the
 * context of the first request. Use one context only, and one that outlives the sessions.
 */
public final class GuardedHttp {

  static final int MAX_BODY = 256 * 1024;
  public static final Duration TIMEOUT = Duration.ofSeconds(10);

  private static final int MAX_REDIRECTS = 3;
  private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);

  /** Milliseconds before the second try, and the longest pause that no server asked for. */
  private static final long FIRST_PAUSE = 100;

  private static final long LONGEST_PAUSE = 5_000;
  private static final long MAX_RETRY_AFTER = 60_000;
  private static final int MAX_PAUSES = 64;

  /** Error codes that say "later", whatever the status. */
  private static final Set<String> LATER =
      Set.of("temporarily_unavailable", "server_error", "slow_down", "ratelimited", "rate_limited");

  /**
   * A response.
   *
   * @param body the fields of a form, as some token endpoints answer; an empty object if it is
   *     neither that nor a JSON object
   * @param place the URL that was asked for, before any redirect
   */
  public record Reply(int status, JsonObject body, MultiMap headers, String place) {

    private Reply at(String url) {
      return new Reply(status, body, headers, url);
    }

    boolean isSuccess() {
      return status >= 200 && status < 300;
    }

    /** Whether another try may help: the server said nothing about the request itself. */
    boolean isLater() {
      return status >= 500
          || Set.of(408, 425, 429).contains(status)
          || LATER.contains(String.valueOf(body.getValue("error")));
    }

    private OAuthException failure(String what) {
      return new OAuthException(
          status == 500 ? OAuthFailure.FAILING : OAuthFailure.UNREACHABLE,
          what + " answers " + this);
    }

    /** The nonce for DPoP proofs that the server supplied, null for none. */
    @Nullable String nonce() {
      return headers.get("DPoP-Nonce");
    }

    /** Without the body, which may hold tokens. */
    @Override
    public String toString() {
      return "HTTP " + status;
    }
  }

  /**
   * A server that could not answer.
   *
   * @param tries how often in a row
   * @param until when the next request may go, by {@link System#nanoTime}
   * @param why it could not, the last time
   */
  private record Pause(int tries, long until, OAuthException why) {}

  private final Vertx vertx;
  private final Duration timeout;
  private final @Nullable Sensitive proxy;
  private final Map<String, Pause> pauses = new ConcurrentHashMap<>();
  private @Nullable HttpClientAgent client;

  /**
   * @param timeout of one request; also how long {@link #patiently} goes on
   * @param proxy of the server's entry; null for that of the environment
   */
  public GuardedHttp(Vertx vertx, Duration timeout, @Nullable Sensitive proxy) {
    this.vertx = vertx;
    this.timeout = timeout;
    this.proxy = proxy;
  }

  private HttpClientAgent client() {
    HttpClientAgent made = client;
    if (made == null) {
      made =
          vertx.createHttpClient(
              new HttpClientOptions()
                  .setConnectTimeout(Math.toIntExact(timeout.toMillis()))
                  .setKeepAlive(false)
                  .setMaxHeaderSize(32 * 1024));
      client = made;
    }
    return made;
  }

  /** One GET; follows redirects within the origin of {@code url}. */
  public Future<Reply> get(UrlGuard guard, String url, String what) {
    return get(guard, url, what, MAX_REDIRECTS);
  }

  /** One GET that follows no redirect. */
  public Future<Reply> once(UrlGuard guard, String url, String what) {
    return get(guard, url, what, 0);
  }

  private Future<Reply> get(UrlGuard guard, String url, String what, int redirects) {
    return send(guard, url, what, HttpMethod.GET, Map.of(), Buffer.buffer())
        .compose(
            reply -> {
              String place = reply.headers().get(HttpHeaders.LOCATION);
              boolean leads = REDIRECTS.contains(reply.status()) && place != null && redirects > 0;
              // A server behind a proxy that ends TLS writes http for its own https.
              String scheme = url.startsWith("https:") ? "https:" : "http:";
              String next =
                  leads
                      ? url(url).resolve(url(place)).toString().replaceFirst("^http:", scheme)
                      : "";
              return leads && origin(next).equals(origin(url))
                  ? get(guard, next, what, redirects - 1).map(found -> found.at(url))
                  : Future.succeededFuture(reply);
            });
  }

  /**
   * The document at the first of several places that has a wanted one; all are asked again while
   * one of them cannot answer. Without a wanted one: the failure or the document of the first place
   * that has either, else an answer without a document. A server that is silent at one place is not
   * asked at the others.
   *
   * @param places at least one
   */
  Future<Reply> first(UrlGuard guard, List<String> places, String what, Predicate<Reply> wanted) {
    return patiently(places.get(0), what, () -> round(guard, places, what, wanted));
  }

  private Future<Reply> round(
      UrlGuard guard, List<String> places, String what, Predicate<Reply> wanted) {
    Future<Reply> here = get(guard, places.get(0), what);
    return here.transform(
        (reply, failure) -> {
          String silent = isSilent(failure) ? origin(places.get(0)) : "";
          List<String> others =
              places.stream().skip(1).filter(place -> !origin(place).equals(silent)).toList();
          if (others.isEmpty() || (failure == null && wanted.test(reply))) {
            return here;
          }
          Future<Reply> rest = round(guard, others, what, wanted);
          boolean says = failure != null || reply.isLater() || reply.status() == 200;
          return says
              ? rest.transform((other, lost) -> lost == null && wanted.test(other) ? rest : here)
              : rest;
        });
  }

  /**
   * Runs a request to the server of {@code url}, again and again after pauses while that server
   * cannot answer, and no longer than the time-out in all. Later requests to it wait for the same
   * pause. Fails with {@code UNREACHABLE} when the time is over, at once where {@code Retry-After}
   * asks for more time than that.
   */
  Future<Reply> patiently(String url, String what, Supplier<Future<Reply>> request) {
    return attempt(origin(url), what, request, System.nanoTime() + timeout.toNanos());
  }

  private Future<Reply> attempt(
      String origin, String what, Supplier<Future<Reply>> request, long end) {
    OAuthException silence = new OAuthException(OAuthFailure.UNREACHABLE, what + ": no answer");
    Pause pause = pauses.getOrDefault(origin, new Pause(0, System.nanoTime(), silence));
    long wait = Math.max(0, pause.until() - System.nanoTime());
    if (System.nanoTime() + wait - end > 0) {
      return pause
          .why()
          .reason()
          .fails(
              pause.why().getMessage()
                  + "; mcpbus asks again after "
                  + (wait / 1_000_000_000 + 1)
                  + " s");
    }
    return (wait == 0
            ? Future.succeededFuture()
            : vertx.timer(wait / 1_000_000 + 1, TimeUnit.MILLISECONDS))
        .compose(turn -> request.get())
        .transform(
            (reply, failure) -> {
              boolean silent = isSilent(failure);
              if (!silent && (reply == null || !reply.isLater())) {
                pauses.remove(origin);
                return failure == null
                    ? Future.succeededFuture(reply)
                    : Future.failedFuture(failure);
              }
              int tries = pause.tries() + 1;
              long asked =
                  reply == null
                      ? -1
                      : HeaderValue.retryAfter(
                          reply.headers().get("Retry-After"), InstantSource.system());
              long millis = pauseMillis(tries, asked, ThreadLocalRandom.current().nextDouble());
              if (pauses.size() > MAX_PAUSES) {
                pauses.clear();
              }
              OAuthException why = reply == null ? (OAuthException) failure : reply.failure(what);
              pauses.put(origin, new Pause(tries, System.nanoTime() + millis * 1_000_000, why));
              return attempt(origin, what, request, end);
            });
  }

  private static boolean isSilent(@Nullable Throwable failure) {
    return failure instanceof OAuthException known && known.reason() == OAuthFailure.UNREACHABLE;
  }

  /**
   * Milliseconds before the next try.
   *
   * @param tries that failed in a row, at least 1
   * @param asked what {@code Retry-After} asks for, -1 for nothing; up to a minute is granted
   * @param random 0 to 1
   */
  static long pauseMillis(int tries, long asked, double random) {
    long grown = Math.min(LONGEST_PAUSE, FIRST_PAUSE << Math.min(tries - 1, 6));
    return Math.max(Math.min(asked, MAX_RETRY_AFTER), Math.round(grown * (0.8 + 0.4 * random)));
  }

  private static URI url(String text) {
    try {
      return new URI(text);
    } catch (URISyntaxException e) {
      return URI.create("");
    }
  }

  /** Scheme, host and port in one form, without a default port; for a malformed URL itself. */
  static String origin(String url) {
    URI uri = url(url);
    return UrlPlace.of(uri).host() == null ? url : origin(uri);
  }

  static String origin(URI uri) {
    String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
    UrlPlace place = UrlPlace.of(uri);
    int port = place.port();
    boolean standard = port < 0 || port == (scheme.equals("https") ? 443 : 80);
    return scheme
        + "://"
        + String.valueOf(place.host()).toLowerCase(Locale.ROOT)
        + (standard ? "" : ":" + port);
  }

  public Future<Reply> post(
      UrlGuard guard, String url, String what, Map<String, String> headers, String body) {
    return send(guard, url, what, HttpMethod.POST, headers, Buffer.buffer(body));
  }

  private Future<Reply> send(
      UrlGuard guard,
      String url,
      String what,
      HttpMethod method,
      Map<String, String> headers,
      Buffer body) {
    OutboundProxy through;
    try {
      through = OutboundProxy.of(url(url), proxy);
    } catch (IllegalArgumentException e) {
      return OAuthFailure.UNREACHABLE.fails(what + ": " + e.getMessage());
    }
    return guard
        .check(url, what, through != null)
        .compose(checked -> connect(checked, method, through))
        .compose(request -> exchange(request, what, headers, body))
        .map(reply -> reply.at(url))
        .recover(failure -> Future.failedFuture(known(failure, what, through)));
  }

  /** To one of the checked addresses, or through the proxy. */
  private Future<HttpClientRequest> connect(
      Checked checked, HttpMethod method, @Nullable OutboundProxy through) {
    RequestOptions options = options(checked.url(), method);
    if (through != null) {
      return client().request(options.setProxyOptions(through.options(timeout)));
    }
    InetAddress first = checked.addresses().get(0);
    InternalContext owner = InternalContext.current(vertx);
    return owner.call(
        () ->
            AddressRace.run(
                owner,
                client().request(at(first, options)),
                () -> Future.succeededFuture(AddressRace.others(checked.addresses(), first)),
                other -> client().request(at(other, options)),
                late -> late.connection().close()));
  }

  private static RequestOptions at(InetAddress address, RequestOptions to) {
    return new RequestOptions(to)
        .setServer(SocketAddress.inetSocketAddress(to.getPort(), address.getHostAddress()));
  }

  private static RequestOptions options(URI url, HttpMethod method) {
    boolean tls = "https".equalsIgnoreCase(url.getScheme());
    UrlPlace place = UrlPlace.of(url);
    String path = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
    return new RequestOptions()
        .setMethod(method)
        .setSsl(tls)
        .setHost(place.host())
        .setPort(place.port() >= 0 ? place.port() : tls ? 443 : 80)
        .setURI(url.getRawQuery() == null ? path : path + "?" + url.getRawQuery())
        .setFollowRedirects(false);
  }

  private Future<Reply> exchange(
      HttpClientRequest request, String what, Map<String, String> headers, Buffer body) {
    request.exceptionHandler(cause -> {});
    headers.forEach(request::putHeader);
    request.putHeader(HttpHeaders.ACCEPT, "application/json");
    return request
        .send(body)
        .compose(response -> read(response, what))
        .timeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
        .onFailure(failure -> request.reset());
  }

  private static Future<Reply> read(HttpClientResponse response, String what) {
    Promise<Reply> promise = Promise.promise();
    Buffer body = Buffer.buffer();
    response.exceptionHandler(promise::tryFail);
    response.handler(
        piece -> {
          if (body.length() + piece.length() > MAX_BODY) {
            promise.tryFail(
                new OAuthException(
                    OAuthFailure.INVALID, what + " is over " + MAX_BODY / 1024 + " KiB"));
            response.request().reset();
          } else {
            body.appendBuffer(piece);
          }
        });
    response.endHandler(
        nothing ->
            promise.tryComplete(
                new Reply(response.statusCode(), json(response, body), response.headers(), "")));
    return promise.future();
  }

  private static JsonObject json(HttpClientResponse response, Buffer body) {
    if (response.getHeader(HttpHeaders.CONTENT_ENCODING) != null) {
      return new JsonObject();
    }
    try {
      return new JsonObject(body);
    } catch (DecodeException | ClassCastException e) {
      String type = String.valueOf(response.getHeader(HttpHeaders.CONTENT_TYPE));
      Map<String, String> form =
          type.startsWith(FormEncoding.TYPE) ? FormEncoding.decode(body.toString()) : null;
      return form == null ? new JsonObject() : new JsonObject(new LinkedHashMap<>(form));
    }
  }

  /** Hides the cause's own text, which may quote what was sent or received. */
  private static OAuthException known(
      Throwable failure, String what, @Nullable OutboundProxy through) {
    if (failure instanceof OAuthException known) {
      return known;
    }
    String why = failure instanceof TimeoutException ? "no answer in time" : "no connection";
    String refusal = through == null ? null : HttpConnections.proxyRefusal(failure);
    return new OAuthException(
        OAuthFailure.UNREACHABLE,
        what
            + ": "
            + why
            + (through == null ? "" : " through the proxy " + through)
            + " ("
            + (refusal == null ? failure.getClass().getSimpleName() : refusal)
            + ")");
  }
}
