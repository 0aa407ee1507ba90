package dev.mcpbus.doctor;

import dev.mcpbus.doctor.HttpProbe.ProbeAnswer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Why a server wants other credentials: a login by OAuth, a key that the entry lacks, or one that
 * the server refuses. Blocks: it reads the metadata that the server itself publishes, and none of
 * another host.
 */
record LoginClues(SeenFailure seen, Endpoint endpoint) {

  private static final Pattern METADATA =
      Pattern.compile("resource_metadata=\"?([^\"\\s,)]+)\"?", Pattern.CASE_INSENSITIVE);

  private static final String WELL_KNOWN = "/.well-known/oauth-protected-resource";

  Finding read() {
    if (seen.sendsCredentials() && !endpoint.oauth()) {
      return Finding.of(
          DoctorCause.CREDENTIALS_REFUSED,
          "The server refuses the credentials in \"headers\" (HTTP 401)",
          "Is the key right and not expired? Bearer tokens are written \"Bearer TOKEN\"");
    }
    if (seen.entry().containsKey("headersHelper")) {
      return Finding.of(
          DoctorCause.CREDENTIALS_REFUSED,
          "The server refuses the credentials that \"headersHelper\" prints (HTTP 401)",
          "Run that command in a shell: does it print one JSON object with the right header?");
    }
    Optional<URI> metadata = metadata();
    JsonObject document = metadata.map(this::document).orElse(null);
    if (endpoint.oauth()) {
      return Finding.of(
          DoctorCause.LOGIN_REQUIRED,
          "The server wants a login by OAuth" + issuer(document) + why(),
          "mcpbus login " + seen.id());
    }
    if (metadata.isPresent()) {
      return Finding.of(
          DoctorCause.LOGIN_REQUIRED,
          "The server wants a login by OAuth"
              + issuer(document)
              + ", and the entry has no \"oauth\"; its metadata is at "
              + metadata.get(),
          "Add \"oauth\": {} to the entry, then: mcpbus login " + seen.id());
    }
    return Finding.of(
        DoctorCause.CREDENTIALS_MISSING,
        "The server wants credentials (HTTP 401), and the entry has none",
        "Add the key to the entry, best by a variable:"
            + " \"headers\": {\"Authorization\": \"Bearer ${API_KEY}\"}");
  }

  /** The words of the OAuth client, where the token and not the server is missing. */
  private String why() {
    int at = seen.message().indexOf("no token: ");
    return at < 0 ? "" : ". mcpbus has " + seen.message().substring(at);
  }

  /** Where the server says how to log in: in its challenge, or at the well-known path. */
  private Optional<URI> metadata() {
    Matcher named = METADATA.matcher(seen.message());
    if (named.find()) {
      return uri(named.group(1));
    }
    HttpProbe probe = HttpProbe.of(endpoint);
    String path = endpoint.path().equals("/") ? "" : endpoint.path();
    for (URI url : new URI[] {endpoint.at(WELL_KNOWN + path), endpoint.at(WELL_KNOWN)}) {
      if (probe.get(url, "application/json").filter(LoginClues::isDocument).isPresent()) {
        return Optional.of(url);
      }
    }
    return Optional.empty();
  }

  private static boolean isDocument(ProbeAnswer answer) {
    return answer.status() == 200 && json(answer.body()) != null;
  }

  private @Nullable JsonObject document(URI url) {
    boolean same = url.getHost() != null && endpoint.at("/").getAuthority().equals(authority(url));
    return same
        ? HttpProbe.of(endpoint)
            .get(url, "application/json")
            .map(answer -> json(answer.body()))
            .orElse(null)
        : null;
  }

  private static String authority(URI url) {
    boolean port = url.getPort() >= 0;
    return url.getHost()
        + ":"
        + (port ? url.getPort() : "https".equals(url.getScheme()) ? 443 : 80);
  }

  private static String issuer(@Nullable JsonObject document) {
    return document != null
            && document.getValue("authorization_servers") instanceof JsonArray issuers
            && !issuers.isEmpty()
        ? " at " + issuers.getValue(0)
        : "";
  }

  private static @Nullable JsonObject json(String text) {
    try {
      return new JsonObject(text);
    } catch (DecodeException | ClassCastException e) {
      return null;
    }
  }

  private static Optional<URI> uri(String text) {
    try {
      return Optional.of(URI.create(text));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
