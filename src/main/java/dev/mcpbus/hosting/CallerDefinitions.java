package dev.mcpbus.hosting;

import dev.mcpbus.bus.CallerFacts;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerOrigin;
import dev.mcpbus.connection.options.ConnectionOptions.Credential;
import dev.mcpbus.protocol.Sensitive;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes the definition of one caller's connection: the entry of the server, read again with what is
 * the caller's in place of {@code ${caller.NAME}}. Any thread may call.
 *
 * @param reader reads entries, on a worker thread
 * @param secrets what principals have stored
 */
record CallerDefinitions(Vertx vertx, ServerEntryReader reader, StoredSecrets secrets) {

  /** What a principal has stored for a server. */
  @FunctionalInterface
  interface StoredSecrets {

    /** Completes with null where there is none. */
    Future<@Nullable Sensitive> of(String principal, ConnectionId server);
  }

  /**
   * The definition for a caller. Fails with {@code AUTH_REQUIRED} where the caller has no
   * credential yet.
   */
  Future<ServerDefinition> of(ServerDefinition server, CallerFacts caller) {
    ServerOrigin origin = server.origin();
    if (origin == null) {
      return Future.failedFuture(
          McpFailure.badRequest("server '" + server.id() + "' has no entry to read for a caller"));
    }
    Future<@Nullable Sensitive> secret =
        server.connection().credential() == Credential.SECRET
            ? secrets.of(caller.principal(), server.id())
            : Future.succeededFuture();
    return secret.compose(
        stored -> {
          if (stored == null && server.connection().credential() == Credential.SECRET) {
            return Future.failedFuture(required(server.id()));
          }
          Map<String, Sensitive> values = new HashMap<>();
          values.put("name", Sensitive.of(caller.principal()));
          if (stored != null) {
            values.put("secret", stored);
          }
          caller
              .headers()
              .forEach((name, value) -> values.put("header." + name, Sensitive.of(value)));
          return vertx.executeBlocking(
              () -> reader.readForCaller(origin, server.source(), values), false);
        });
  }

  private static McpFailure required(ConnectionId server) {
    return McpFailure.notSent(
        FailureCode.AUTH_REQUIRED,
        "server '"
            + server
            + "' wants a personal secret of yours, and you have stored none: store it with"
            + " \"mcpbus credentials set "
            + server
            + "\", in the console, or by PUT /api/credentials/"
            + server);
  }
}
