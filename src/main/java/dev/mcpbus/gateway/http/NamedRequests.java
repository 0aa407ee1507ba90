package dev.mcpbus.gateway.http;

import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.RequestIds;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The requests in flight that {@code discover} clients may name in messages that MCP does not
 * define: those of such methods, and those with a progress token. A message may come by another
 * HTTP verticle than the request, so all of a node share this. Any thread may call.
 */
public final class NamedRequests {

  /** What a client calls a request at one connection: its JSON-RPC id or its token. */
  private record Name(String at, boolean token, RawJson value) {}

  /** The call ids; several where clients of one principal use the same name. */
  private final Map<Name, Set<String>> calls = new ConcurrentHashMap<>();

  /**
   * @param at names the principal and the connection
   * @param token null for none
   */
  void add(String at, RawJson id, @Nullable RawJson token, String callId) {
    names(at, id, token)
        .forEach(
            name ->
                calls.merge(
                    name,
                    Set.of(callId),
                    (one, more) ->
                        Stream.concat(one.stream(), more.stream())
                            .collect(Collectors.toUnmodifiableSet())));
  }

  void remove(String at, RawJson id, @Nullable RawJson token, String callId) {
    names(at, id, token)
        .forEach(
            name ->
                calls.computeIfPresent(
                    name,
                    (same, all) ->
                        all.size() == 1 && all.contains(callId)
                            ? null
                            : all.stream()
                                .filter(one -> !one.equals(callId))
                                .collect(Collectors.toUnmodifiableSet())));
  }

  private static Stream<Name> names(String at, RawJson id, @Nullable RawJson token) {
    Name byId = new Name(at, false, id);
    return token == null ? Stream.of(byId) : Stream.of(byId, new Name(at, true, token));
  }

  /** The params with the call id for each name that means one request there. */
  RawJson toServer(String at, RawJson params) {
    return calls.isEmpty()
        ? params
        : RequestIds.replaced(
            params,
            id -> callId(new Name(at, false, id)),
            token -> callId(new Name(at, true, token)));
  }

  private RawJson callId(Name name) {
    Set<String> found = calls.getOrDefault(name, Set.of());
    return found.size() == 1 ? RawJson.string(found.iterator().next()) : name.value();
  }
}
