package dev.mcpbus.gateway.http;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.gateway.request.HostMessage;
import dev.mcpbus.gateway.request.HostMessage.StatedClient;
import dev.mcpbus.gateway.request.McpErrors;
import dev.mcpbus.gateway.request.SessionHostNames;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Principal;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The session hosts of clients of the {@code discover} era: which client a request comes from, and
 * which host has it. On one node the key decides. In a cluster another node may have the client;
 * its host is remembered from the first answer. Confined to the context of the HTTP verticle.
 */
final class ClientHosts {

  /** Of {@code _meta."dev.mcpbus/client"}, characters. */
  static final int MAX_NAME = 200;

  /** Of {@code clientInfo} and of the client's capabilities, bytes each. */
  private static final int MAX_STATED = 65_536;

  /** How many clients it remembers with their host; for any other it asks the host of the key. */
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
   * @throws McpFailure -32602 for a {@code dev.mcpbus/client} that is no text of 1 to 200
   *     characters, and for a {@code clientInfo} of more than 64 KiB
   */
  String key(Principal principal, @Nullable RawJson meta) {
    RawJson name = meta == null ? null : meta.member(MetaKeys.CLIENT);
    if (name != null
        && (!name.isString() || name.asString().isEmpty() || name.asString().length() > MAX_NAME)) {
      throw McpErrors.invalidParams(
          "_meta \"" + MetaKeys.CLIENT + "\" must be a text of 1 to " + MAX_NAME + " characters");
    }
    add(RawJson.string(principal.name()));
    add(stated(meta, MetaKeys.CLIENT_INFO));
    add(name == null ? RawJson.NULL : RawJson.string(name.asString()));
    return Base64.getUrlEncoder().withoutPadding().encodeToString(digest.digest());
  }

  /** Adds a part with its length, so that no part can end where another would begin. */
  private void add(RawJson part) {
    int length = part.length();
    for (int shift = 24; shift >= 0; shift -= 8) {
      digest.update((byte) (length >>> shift));
    }
    digest.update(part.array(), part.offset(), length);
  }

  /** What the client states of itself, which its host keeps; JSON null if it states nothing. */
  private static RawJson stated(@Nullable RawJson meta, String member) {
    RawJson stated = meta == null ? null : meta.member(member);
    if (stated == null) {
      return RawJson.NULL;
    }
    if (stated.length() > MAX_STATED) {
      throw McpErrors.invalidParams(
          "_meta \"" + member + "\" must have " + MAX_STATED + " bytes at most");
    }
    return stated;
  }

  /** The client that sends a request, and what it states; throws as {@link #key}. */
  StatedClient client(Principal principal, @Nullable RawJson meta) {
    String key = key(principal, meta);
    RawJson can = stated(meta, MetaKeys.CLIENT_CAPABILITIES);
    RawJson info = stated(meta, MetaKeys.CLIENT_INFO);
    return new StatedClient(
        key, can.isObject() ? can.toString() : "{}", info.isObject() ? info.toString() : null);
  }

  /** The host that has the client, as far as this verticle knows. */
  String host(String client) {
    String other = elsewhere.isEmpty() ? null : elsewhere.get(client);
    return other == null ? hostNames.of(client) : other;
  }

  /**
   * Sends a request to the host that has the client; fails as the host does, and with {@code
   * UNAVAILABLE} if each host names another one.
   *
   * @param client its key
   * @param over whether the client has left; no further host gets the request then, because the
   *     message that ends it went to the host before
   */
  Future<Message<Buffer>> send(
      String client, RawJson params, DeliveryOptions options, BooleanSupplier over) {
    return send(client, params, options, over, MAX_MOVES);
  }

  private Future<Message<Buffer>> send(
      String client, RawJson params, DeliveryOptions options, BooleanSupplier over, int moves) {
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
              String other = HostMessage.host(answer);
              if (other == null) {
                return Future.succeededFuture(answer);
              }
              if (moves == 0) {
                return Future.failedFuture(
                    McpFailure.notSent(
                        FailureCode.UNAVAILABLE, "the client's session moves; try again"));
              }
              if (other.isEmpty()) {
                elsewhere.remove(client, host); // it is leaving
              } else {
                elsewhere.put(client, other);
              }
              return over.getAsBoolean()
                  ? Future.failedFuture(
                      McpFailure.notSent(FailureCode.CANCELLED, "the client has gone"))
                  : send(client, params, again, over, moves - 1);
            },
            failure -> {
              boolean lost = RequestSender.hadNoReceiver(failure);
              return known
                      && lost
                      && moves > 0
                      && elsewhere.remove(client, host)
                      && !over.getAsBoolean()
                  ? send(client, params, again, over, moves - 1)
                  : Future.failedFuture(failure);
            });
  }
}
