package dev.mcpbus.gateway.http;

import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.gateway.request.SessionHostNames;
import dev.mcpbus.gateway.request.SessionMessage;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Principal;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The session hosts of clients of the {@code discover} era: which client a request comes from, and
 * which host has it. On one node the key decides. In a cluster another node may have the client;
 * its host is remembered from the first answer. Confined to the context of the HTTP verticle.
 */
final class ClientHosts {

  /** Of {@code _meta."dev.mcpbus/client"}, characters. */
  static final int MAX_NAME = 200;

  /** How many clients are remembered with their host; the host of any other is asked. */
  private static final int MAX_REMEMBERED = 10_000;

  /** A client may move while a request is under way. */
  private static final int MAX_MOVES = 3;

  private final SessionHostNames hostNames;

  /** The hosts of clients that are not where their key says. */
  private final Map<String, String> elsewhere =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
          return size() > MAX_REMEMBERED;
        }
      };

  private final MessageDigest digest = sha256();

  ClientHosts(SessionHostNames hostNames) {
    this.hostNames = hostNames;
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every JDK has it
    }
  }

  /**
   * The key of the client that sends a request: the same for all requests of one principal with the
   * same {@code clientInfo} and the same {@code dev.mcpbus/client}.
   *
   * @param meta {@code _meta} of the request
   * @throws dev.mcpbus.bus.McpFailure -32602 for a {@code dev.mcpbus/client} that is no text of 1
   *     to 200 characters
   */
  String key(Principal principal, @Nullable RawJson meta) {
    digest.update(principal.name().getBytes(StandardCharsets.UTF_8));
    digest.update((byte) 0);
    RawJson info = meta == null ? null : meta.member(MetaKeys.CLIENT_INFO);
    if (info != null) {
      digest.update(info.array(), info.offset(), info.length());
    }
    digest.update((byte) 0);
    RawJson name = meta == null ? null : meta.member(MetaKeys.CLIENT);
    if (name != null) {
      if (!name.isString() || name.asString().isEmpty() || name.asString().length() > MAX_NAME) {
        digest.reset();
        throw McpErrors.invalidParams(
            "_meta \"" + MetaKeys.CLIENT + "\" must be a text of 1 to " + MAX_NAME + " characters");
      }
      digest.update(name.asString().getBytes(StandardCharsets.UTF_8));
    }
    return Base64.getUrlEncoder().withoutPadding().encodeToString(digest.digest());
  }

  /** The host that has the client, as far as this verticle knows. */
  String host(String client) {
    String other = elsewhere.isEmpty() ? null : elsewhere.get(client);
    return other == null ? hostNames.of(client) : other;
  }

  /**
   * Sends a request to the host that has the client; fails as the host does.
   *
   * @param meta {@code _meta} of the request, for what the client states
   */
  Future<Message<Buffer>> send(
      String client, RawJson params, @Nullable RawJson meta, DeliveryOptions options) {
    RawJson can = meta == null ? null : meta.member(MetaKeys.CLIENT_CAPABILITIES);
    RawJson info = meta == null ? null : meta.member(MetaKeys.CLIENT_INFO);
    options
        .addHeader(SessionMessage.CLIENT, client)
        .addHeader(
            SessionMessage.CAPABILITIES, can == null || !can.isObject() ? "{}" : can.toString());
    if (info != null && info.isObject()) {
      options.addHeader(SessionMessage.CLIENT_INFO, info.toString());
    }
    return send(client, params, options, MAX_MOVES);
  }

  private Future<Message<Buffer>> send(
      String client, RawJson params, DeliveryOptions options, int moves) {
    String host = host(client);
    if (!hostNames.isClustered()) {
      return hostNames.sendParams(host, params, options);
    }
    boolean known = elsewhere.containsKey(client);
    DeliveryOptions again = new DeliveryOptions(options);
    return hostNames
        .sendParams(host, params, options)
        .compose(
            answer -> {
              String other = answer.headers().get(SessionMessage.HOST);
              if (other == null || moves == 0) {
                return Future.succeededFuture(answer);
              }
              elsewhere.put(client, other);
              return send(client, params, again, moves - 1);
            },
            failure -> {
              boolean lost = RequestSender.hadNoReceiver(failure);
              return known && lost && moves > 0 && elsewhere.remove(client, host)
                  ? send(client, params, again, moves - 1)
                  : Future.failedFuture(failure);
            });
  }
}
