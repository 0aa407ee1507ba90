package dev.mcpbus.gateway;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.ParamHeaders;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Servers that may know a URI which none of them lists: from a template, or out of a result. */
final class Readers {

  /** Of 2025-11-25 and before; the modern era says {@code -32602}. */
  static final int RESOURCE_NOT_FOUND = -32_002;

  private static final int MAX_TRIES = 8;

  private Readers() {}

  /**
   * Most likely first: the one that the URI names, and then no other; those of a template, all that
   * list anything.
   */
  static List<MergedList.Target> of(Snapshot snapshot, View view, String uri) {
    MergedList.Target listed = snapshot.list(view, Kind.RESOURCES).find(uri);
    if (listed != null) {
      return List.of(listed);
    }
    String named = Uris.server(uri);
    if (named != null && snapshot.server(named) != null && view.includes(named)) {
      String own = Uris.own(uri);
      return view.admits(Kind.RESOURCES, named, own)
          ? List.of(new MergedList.Target(named, own, uri, ParamHeaders.NONE))
          : List.of();
    }
    if (view.server()) {
      return view.admits(Kind.RESOURCES, view.name(), uri)
          ? List.of(target(view.name(), uri))
          : List.of();
    }
    List<String> servers = new ArrayList<>();
    Stream.concat(
            snapshot.list(view, Kind.TEMPLATES).targets().stream()
                .filter(template -> uri.startsWith(prefix(template.key())))
                .sorted(
                    Comparator.comparingInt(
                        (MergedList.Target template) -> -prefix(template.key()).length()))
                .map(MergedList.Target::server),
            snapshot.servers().stream()
                .filter(server -> mayHaveResources(server))
                .map(server -> server.id().value()))
        .filter(server -> view.admits(Kind.RESOURCES, server, uri))
        .distinct()
        .limit(MAX_TRIES)
        .forEach(servers::add);
    return servers.stream().map(server -> target(server, uri)).toList();
  }

  private static boolean mayHaveResources(ServerFacts server) {
    return Stream.of(Kind.RESOURCES, Kind.TEMPLATES)
        .map(server::list)
        .filter(Objects::nonNull)
        .anyMatch(listing -> !listing.items().isEmpty());
  }

  private static MergedList.Target target(String server, String uri) {
    return new MergedList.Target(server, uri, uri, ParamHeaders.NONE);
  }

  private static String prefix(String template) {
    int brace = template.indexOf('{');
    return brace < 0 ? template : template.substring(0, brace);
  }

  static boolean isNotFound(McpFailure failure) {
    if (failure.code() == FailureCode.METHOD_NOT_FOUND) {
      return true;
    }
    JsonObject error = failure.data().getJsonObject("error");
    int code = error == null ? 0 : error.getInteger("code", 0);
    return failure.code() == FailureCode.UPSTREAM_ERROR
        && (code == RESOURCE_NOT_FOUND || code == JsonRpcError.INVALID_PARAMS);
  }
}
