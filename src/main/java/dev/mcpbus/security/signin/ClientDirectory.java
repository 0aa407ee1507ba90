package dev.mcpbus.security.signin;

import dev.mcpbus.security.SignInOptions;
import dev.mcpbus.security.signin.SealedTexts.Purpose;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.InstantSource;

/**
 * Knows clients by their ids: a registration (RFC 7591) is a sealed text and stored nowhere, a URL
 * is that of a metadata document. Confined to one context.
 */
final class ClientDirectory {

  /** A client whose registration has ended registers again when its next renewal is refused. */
  static final Duration LIFETIME = Duration.ofDays(365);

  private static final int MAX_URIS = 5;

  private final SignInOptions options;
  private final SealedTexts texts;
  private final ClientDocuments documents;
  private final InstantSource clock;

  ClientDirectory(
      SignInOptions options, SealedTexts texts, ClientDocuments documents, InstantSource clock) {
    this.options = options;
    this.texts = texts;
    this.documents = documents;
    this.clock = clock;
  }

  /** The client with this id; fails with a {@link SignInRefusal}. */
  Future<SignInClient> find(String id) {
    if (id.startsWith("https:")) {
      return documents.find(id);
    }
    JsonObject registered = options.registration() ? texts.open(Purpose.CLIENT, id) : null;
    try {
      return registered == null
          ? SignInRefusal.of(
                  401,
                  "invalid_client",
                  "this program is not registered here, or its registration has ended: let it"
                      + " register again")
              .failed()
          : Future.succeededFuture(SignInClient.of(id, registered, MAX_URIS));
    } catch (SignInRefusal e) {
      return e.failed();
    }
  }

  /** Whether a client may have this id; a document is not read again for its tokens. */
  boolean mayBe(String id) {
    return id.equals(SignInClient.CONSOLE)
        || id.startsWith("https:")
        || texts.open(Purpose.CLIENT, id) != null;
  }

  /**
   * Registers a client.
   *
   * @return the answer (RFC 7591, section 3.2.1)
   * @throws SignInRefusal if it is not acceptable
   */
  JsonObject register(JsonObject metadata) throws SignInRefusal {
    if (!options.registration()) {
      throw SignInRefusal.of(403, "access_denied", "no program may register here");
    }
    SignInClient client = SignInClient.of("", metadata, MAX_URIS);
    JsonArray grants = new JsonArray();
    Object asked = metadata.getValue("grant_types");
    if (!(asked instanceof JsonArray some) || some.contains(SignInClient.CODE_GRANT)) {
      grants.add(SignInClient.CODE_GRANT);
    }
    if (asked instanceof JsonArray some && some.contains(SignInClient.DEVICE_GRANT)) {
      grants.add(SignInClient.DEVICE_GRANT);
    }
    if (client.renews()) {
      grants.add(SignInClient.REFRESH_GRANT);
    }
    JsonObject kept =
        new JsonObject()
            .put("redirect_uris", new JsonArray(client.redirectUris()))
            .put("client_name", client.name())
            .put("grant_types", grants);
    return kept.copy()
        .put("client_id", texts.seal(Purpose.CLIENT, kept, LIFETIME))
        .put("client_id_issued_at", clock.instant().getEpochSecond())
        .put("response_types", new JsonArray().add("code"))
        .put("token_endpoint_auth_method", "none");
  }
}
