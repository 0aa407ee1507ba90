package dev.mcpbus.client;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.protocol.PublicApi;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * What a principal has stored at mcpbus for servers that act for their caller. A program may do it
 * for each principal, because it is no principal itself. Immutable; any thread may call, and
 * futures complete on the caller's context. They fail with {@code McpFailure}.
 *
 * <pre>{@code
 * PrincipalCredentials.of(client, "alice").set("tracker", System.getenv("ALICES_TOKEN"));
 * }</pre>
 */
@PublicApi
public final class PrincipalCredentials {

  private final McpClient client;
  private final String principal;

  private PrincipalCredentials(McpClient client, String principal) {
    this.client = client;
    this.principal = principal;
  }

  /**
   * @param principal its name: that of an API key, or the issuer's and the person's of a token
   * @throws IllegalArgumentException for an empty name
   */
  public static PrincipalCredentials of(McpClient client, String principal) {
    if (principal.isEmpty()) {
      throw new IllegalArgumentException("a principal has a name");
    }
    return new PrincipalCredentials(client, principal);
  }

  /**
   * What is stored, without the values.
   *
   * @return {@code {server, kind, since?}} for each: {@code kind} is {@code secret}, or {@code
   *     tokens} of a login; {@code since} is ISO-8601
   */
  public Future<List<JsonObject>> list() {
    return ask(Addresses.CREDENTIALS_LIST, new JsonObject())
        .map(
            reply ->
                reply.getJsonArray("credentials", new JsonArray()).stream()
                    .map(JsonObject.class::cast)
                    .toList());
  }

  /**
   * Stores the personal secret for a server, in place of the present one. The principal's open
   * connection to that server ends; its next call uses the new secret.
   *
   * @param server id or name
   * @param secret 1 to 16,384 characters
   * @return fails with {@code UNKNOWN_CONNECTION} if there is no such server, and with {@code
   *     LIMIT_EXCEEDED} beyond 1,000 secrets of the principal
   */
  public Future<Void> set(String server, String secret) {
    return ClientCalls.guarded(
        () -> ask(Addresses.CREDENTIALS_SET, at(server).put("secret", secret)).mapEmpty());
  }

  /**
   * Removes the secret for a server, and the tokens of logins there.
   *
   * @param server id or name; it need not be there any more
   * @return whether there was anything
   */
  public Future<Boolean> remove(String server) {
    return ClientCalls.guarded(
        () ->
            ask(Addresses.CREDENTIALS_REMOVE, at(server))
                .map(reply -> reply.getInteger("removed", 0) > 0));
  }

  /**
   * Removes everything of the principal.
   *
   * @return how many entries there were
   */
  public Future<Integer> removeAll() {
    return ask(Addresses.CREDENTIALS_REMOVE, new JsonObject())
        .map(reply -> reply.getInteger("removed", 0));
  }

  private static JsonObject at(String server) {
    return new JsonObject().put("id", ClientCalls.id(server).value());
  }

  private Future<JsonObject> ask(String address, JsonObject body) {
    return client.send(address, body.put("principal", principal), CallOptions.DEFAULT);
  }

  @Override
  public String toString() {
    return "credentials of " + principal;
  }
}
