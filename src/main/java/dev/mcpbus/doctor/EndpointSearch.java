package dev.mcpbus.doctor;

import dev.mcpbus.doctor.HttpProbe.ProbeAnswer;
import java.net.URI;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Looks for the MCP endpoint of a server whose URL leads elsewhere, at the paths that servers have.
 * Sends one request without credentials to each. Blocks.
 */
record EndpointSearch(Endpoint endpoint) {

  private static final List<String> USUAL =
      List.of("/mcp", "/mcp/", "/sse", "/api/mcp", "/v1/mcp", "/");

  /** The first URL where something speaks MCP. */
  Optional<URI> find() {
    if (!endpoint.isHttp()) {
      return Optional.empty();
    }
    HttpProbe probe = HttpProbe.of(endpoint);
    Set<String> paths = new LinkedHashSet<>();
    String own = endpoint.path().replaceAll("(?<!/)/+$", "");
    if (!own.isEmpty()) {
      paths.add(own + "/mcp");
      paths.add(own + "/sse");
    }
    paths.addAll(USUAL);
    paths.remove(endpoint.path());
    return paths.stream().filter(path -> speaksMcp(probe, path)).findFirst().map(endpoint::at);
  }

  private boolean speaksMcp(HttpProbe probe, String path) {
    Optional<ProbeAnswer> answer = probe.ping(endpoint.at(path));
    if (answer.isEmpty()) {
      return false;
    }
    boolean message = answer.get().body().contains("\"jsonrpc\"");
    boolean stream = answer.get().type().startsWith("text/event-stream");
    boolean guarded = answer.get().status() == 401 && !answer.get().challenge().isEmpty();
    return message
        || stream
        || guarded
        || (path.endsWith("/sse")
            && probe
                .get(endpoint.at(path), "text/event-stream")
                .filter(get -> get.status() == 200 && get.type().startsWith("text/event-stream"))
                .isPresent());
  }
}
