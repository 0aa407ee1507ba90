package dev.mcpbus.security.signin;

import dev.mcpbus.protocol.Glob;
import dev.mcpbus.security.oauth.GuardedHttp.Reply;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Client id metadata documents: a client's id is the {@code https} URL of a document about it. The
 * guard keeps requests away from what is not on the public Internet; no redirect is followed. What
 * is kept and what is fetched at a time is bounded. Confined to one context.
 */
final class ClientDocuments {

  private static final int MAX_KEPT = 1_000;
  private static final int MAX_FETCHES = 16;
  private static final int MAX_URIS = 20;
  private static final int LONGEST = 512;
  private static final long SECOND = 1_000_000_000;

  private static final long SHORTEST_SECONDS = 60;
  private static final long DEFAULT_SECONDS = 600;
  private static final long LONGEST_SECONDS = 3_600;
  private static final Pattern MAX_AGE =
      Pattern.compile("(?:.*[ ,])?max-age=(\\d{1,9})(?:[ ,].*)?");

  /**
   * @param until by the clock of nanoseconds
   */
  private record KeptDocument(Future<SignInClient> client, long until) {}

  private final Function<String, Future<Reply>> fetch;
  private final List<String> accepted;
  private final LongSupplier nanos;
  private final Map<String, Future<SignInClient>> fetching = new HashMap<>();

  private final Map<String, KeptDocument> kept =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, KeptDocument> eldest) {
          return size() > MAX_KEPT;
        }
      };

  /**
   * @param fetch makes one guarded request that follows no redirect
   * @param accepted globs of URLs
   */
  ClientDocuments(
      Function<String, Future<Reply>> fetch, List<String> accepted, LongSupplier nanos) {
    this.fetch = fetch;
    this.accepted = accepted;
    this.nanos = nanos;
  }

  /** The client that the document at {@code id} describes; fails with a {@link SignInRefusal}. */
  Future<SignInClient> find(String id) {
    if (!isAcceptable(id)) {
      return refused("its id is no URL of a metadata document that is accepted here").failed();
    }
    KeptDocument known = kept.get(id);
    if (known != null && nanos.getAsLong() - known.until() < 0) {
      return known.client();
    }
    Future<SignInClient> running = fetching.get(id);
    if (running != null) {
      return running;
    }
    if (fetching.size() >= MAX_FETCHES) {
      return SignInRefusal.of(
              503, "temporarily_unavailable", "too many metadata documents are being read")
          .failed();
    }
    Future<SignInClient> client =
        fetch
            .apply(id)
            .recover(failure -> refused("its metadata document cannot be read").failed())
            .compose(reply -> read(id, reply));
    if (!client.isComplete()) {
      fetching.put(id, client);
      client.onComplete(done -> fetching.remove(id));
    }
    // A failure is kept for a while, too: each request of anybody would fetch again.
    client.onFailure(failure -> keep(id, client, SHORTEST_SECONDS / 4));
    return client;
  }

  private boolean isAcceptable(String id) {
    try {
      URI uri = new URI(id);
      String path = String.valueOf(uri.getRawPath());
      return id.length() <= LONGEST
          && uri.getHost() != null
          && path.length() > 1
          && path.equals(uri.normalize().getRawPath())
          && uri.getRawFragment() == null
          && uri.getRawUserInfo() == null
          && accepted.stream().anyMatch(glob -> Glob.matches(glob, id));
    } catch (URISyntaxException e) {
      return false;
    }
  }

  private Future<SignInClient> read(String id, Reply reply) {
    JsonObject document = reply.body();
    if (reply.status() != 200 || !id.equals(document.getValue("client_id"))) {
      return refused("its metadata document is not there, or is that of another id").failed();
    }
    if (document.containsKey("client_secret")
        || !"none".equals(document.getValue("token_endpoint_auth_method", "none"))
        || !(document.getValue("client_name") instanceof String)) {
      return refused(
              "its metadata document has no name, or does not describe a public client, with"
                  + " token_endpoint_auth_method none")
          .failed();
    }
    try {
      Future<SignInClient> client = Future.succeededFuture(SignInClient.of(id, document, MAX_URIS));
      keep(id, client, seconds(String.valueOf(reply.headers().get("Cache-Control"))));
      return client;
    } catch (SignInRefusal e) {
      return e.failed();
    }
  }

  private void keep(String id, Future<SignInClient> client, long seconds) {
    kept.put(id, new KeptDocument(client, nanos.getAsLong() + seconds * SECOND));
  }

  private static long seconds(String cacheControl) {
    Matcher age = MAX_AGE.matcher(cacheControl);
    return cacheControl.contains("no-store") || cacheControl.contains("no-cache")
        ? SHORTEST_SECONDS
        : age.matches()
            ? Math.min(LONGEST_SECONDS, Math.max(SHORTEST_SECONDS, Long.parseLong(age.group(1))))
            : DEFAULT_SECONDS;
  }

  private static SignInRefusal refused(String why) {
    return SignInRefusal.of(401, "invalid_client", "the program is not known here: " + why);
  }
}
