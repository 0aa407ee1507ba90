package dev.mcpbus.directory;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.ParamHeaders;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Finds the servers that may serve a URI that no server lists: one from a template or from a
 * result. Stateless.
 */
public final class ResourceCandidates {

  private static final int MAX_TRIES = 8;

  private ResourceCandidates() {}

  /**
   * The targets to try, in order: only the server that the URI names; else the servers with a
   * matching template, longest prefix first, then all servers that list any resource.
   */
  public static List<ViewList.Target> of(
      DirectorySnapshot snapshot, DirectoryView view, String uri) {
    ViewList.Target listed = snapshot.list(view, ListKind.RESOURCES).find(uri);
    if (listed != null) {
      return List.of(listed);
    }
    String named = ServerUri.server(uri);
    if (named != null && snapshot.server(named) != null && view.includes(named)) {
      String own = ServerUri.own(uri);
      return view.admits(ListKind.RESOURCES, named, own)
          ? List.of(new ViewList.Target(named, own, uri, ParamHeaders.NONE))
          : List.of();
    }
    if (view.server()) {
      return view.admits(ListKind.RESOURCES, view.name(), uri)
          ? List.of(target(view.name(), uri))
          : List.of();
    }
    List<String> servers = new ArrayList<>();
    Stream.concat(
            snapshot.list(view, ListKind.TEMPLATES).targets().stream()
                .filter(template -> uri.startsWith(prefix(template.key())))
                .sorted(
                    Comparator.comparingInt(
                        (ViewList.Target template) -> -prefix(template.key()).length()))
                .map(ViewList.Target::server),
            snapshot.servers().stream()
                .filter(server -> mayHaveResources(server))
                .map(server -> server.id().value()))
        .filter(server -> view.admits(ListKind.RESOURCES, server, uri))
        .distinct()
        .limit(MAX_TRIES)
        .forEach(servers::add);
    return servers.stream().map(server -> target(server, uri)).toList();
  }

  private static boolean mayHaveResources(DirectoryEntry server) {
    return Stream.of(ListKind.RESOURCES, ListKind.TEMPLATES)
        .map(server::list)
        .filter(Objects::nonNull)
        .anyMatch(listing -> !listing.items().isEmpty());
  }

  private static ViewList.Target target(String server, String uri) {
    return new ViewList.Target(server, uri, uri, ParamHeaders.NONE);
  }

  private static String prefix(String template) {
    int brace = template.indexOf('{');
    return brace < 0 ? template : template.substring(0, brace);
  }

  /**
   * Whether a server does not have the resource: {@code -32002} until 2025-11-25, {@code -32602} in
   * the {@code discover} era.
   */
  public static boolean isNotFound(McpFailure failure) {
    if (failure.code() == FailureCode.METHOD_NOT_FOUND) {
      return true;
    }
    JsonObject error = failure.data().getJsonObject("error");
    int code = error == null ? 0 : error.getInteger("code", 0);
    return failure.code() == FailureCode.UPSTREAM_ERROR
        && (code == JsonRpcError.RESOURCE_NOT_FOUND || code == JsonRpcError.INVALID_PARAMS);
  }
}
