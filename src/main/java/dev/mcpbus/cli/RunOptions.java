package dev.mcpbus.cli;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code run}, which the command without a word has as well. */
final class RunOptions {

  @Option(
      names = {"-c", "--config"},
      paramLabel = "FILE",
      description = "Configuration, JSON or YAML. Default: conf/mcpbus.json, else a built-in demo.")
  @Nullable Path file;

  @Option(
      names = {"-p", "--port"},
      paramLabel = "PORT",
      description = "Port of the HTTP bridge on 127.0.0.1; 0 takes a free one. Default: 8790.")
  @Nullable Integer port;

  @Option(
      names = "--cluster",
      description = {
        "Join the other nodes, or found a cluster. \"cluster\" in the configuration says how;",
        "without it, the nodes of this user on this machine, over the loopback interface only."
      })
  boolean cluster;

  @Option(
      names = "--drain",
      paramLabel = "TIME",
      description = {
        "After SIGTERM, serve on so long and be not ready, so that a balancer",
        "turns away; a second signal ends the wait.",
        "Default: bridge.drain, else 5s in a cluster, 0 alone."
      })
  @Nullable String drain;

  @Option(
      names = "--cluster-config",
      paramLabel = "FILE",
      description = {
        "Hazelcast's own configuration, XML or YAML, in place of the built-in one.",
        "Default: conf/cluster.xml where there is one."
      })
  @Nullable Path clusterFile;
}
