package dev.mcpbus.bench.cluster;

import dev.mcpbus.testing.FreePorts;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The processes of one cluster, on the loopback interface. */
final class Nodes implements AutoCloseable {

  private final Path folder;
  private final String name = "bench-" + UUID.randomUUID();
  private final JsonObject servers;
  private final List<Integer> ports;
  private final List<NodeProcess> all = new ArrayList<>();

  /**
   * @param most nodes that may be started
   */
  Nodes(Path folder, JsonObject servers, int most) throws IOException {
    this.folder = Files.createDirectories(folder.resolve(name));
    this.servers = servers;
    this.ports = FreePorts.list(most);
  }

  /**
   * Starts one that has its own name as its label.
   *
   * @return when it has joined
   */
  NodeProcess start(String node) throws IOException {
    JsonArray members = new JsonArray();
    ports.forEach(port -> members.add("127.0.0.1:" + port));
    JsonObject cluster =
        new JsonObject()
            .put("name", name)
            .put("node", node)
            .put("host", "127.0.0.1")
            .put("port", ports.get(all.size()))
            .put("members", members)
            .put("labels", new JsonArray().add(node));
    Path file = folder.resolve(node + ".json");
    Files.writeString(
        file, new JsonObject().put("mcpServers", servers).put("cluster", cluster).encode());
    NodeProcess process = NodeProcess.start(node, file);
    all.add(process);
    return process;
  }

  /** Ends what still runs, at once: nothing of it is measured any more. */
  @Override
  public void close() {
    all.forEach(NodeProcess::close);
  }
}
