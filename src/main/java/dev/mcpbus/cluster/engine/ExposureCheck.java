package dev.mcpbus.cluster.engine;

import com.hazelcast.config.AdvancedNetworkConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.EndpointConfig;
import com.hazelcast.config.InterfacesConfig;
import dev.mcpbus.config.ClusterOptions;
import dev.mcpbus.protocol.LoopbackHosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checks that a cluster which other machines can reach has a secret, and that the files of TLS can
 * be read; every failure names the remedy. Runs once, before the start of the cluster.
 */
final class ExposureCheck {

  private static final String BIND_ANY = "hazelcast.socket.bind.any";

  private ExposureCheck() {}

  /**
   * Refuses a configuration by which processes of other users or machines could join without a
   * secret.
   *
   * @param file Hazelcast's own configuration file; null where {@code config} was made by mcpbus
   * @throws IllegalArgumentException that says what to change
   */
  static void check(Config config, ClusterOptions options, @Nullable Path file) {
    boolean local = options.isLoopback();
    if (!local && options.secret() == null) {
      throw new IllegalArgumentException(
          "\"cluster.host\" "
              + options.host()
              + " is an address that other machines may reach, and any process there can join; give"
              + " all nodes the same \"cluster.secretFile\" or \"cluster.secret\", or listen on"
              + " 127.0.0.1");
    }
    if (file == null) {
      return;
    }
    boolean memberLocal = isLoopback(config);
    if (!memberLocal && options.secret() == null) {
      throw new IllegalArgumentException(
          file
              + " lets Hazelcast listen beyond the loopback interface, and any process there can"
              + " join; give all nodes the same \"cluster.secretFile\" or \"cluster.secret\" in the"
              + " configuration of mcpbus, or let it listen on 127.0.0.1 alone (<interfaces"
              + " enabled=\"true\"><interface>127.0.0.1</interface></interfaces> and the property "
              + BIND_ANY
              + " = false)");
    }
    if (!memberLocal && local) {
      throw new IllegalArgumentException(
          file
              + " lets Hazelcast listen beyond the loopback interface, and the event bus would not:"
              + " set \"cluster.host\" in the configuration of mcpbus to the address of this machine"
              + " that the other nodes reach");
    }
  }

  /** True only where Hazelcast certainly listens on the loopback interface alone. */
  private static boolean isLoopback(Config config) {
    if (!"false".equals(config.getProperty(BIND_ANY))) {
      return false;
    }
    AdvancedNetworkConfig advanced = config.getAdvancedNetworkConfig();
    if (!advanced.isEnabled()) {
      return isLoopback(config.getNetworkConfig().getInterfaces());
    }
    return advanced.getEndpointConfigs().values().stream()
        .map(EndpointConfig::getInterfaces)
        .allMatch(ExposureCheck::isLoopback);
  }

  private static boolean isLoopback(InterfacesConfig interfaces) {
    return interfaces.isEnabled()
        && !interfaces.getInterfaces().isEmpty()
        && interfaces.getInterfaces().stream().allMatch(LoopbackHosts::isListenAddress);
  }

  /**
   * Reads each file once. Blocks.
   *
   * @throws IllegalArgumentException that names a file that cannot be read
   */
  static void check(ClusterOptions.Tls tls) {
    for (Path file : List.of(tls.certFile(), tls.keyFile(), tls.caFile())) {
      try {
        Files.readAllBytes(file);
      } catch (IOException e) {
        throw new IllegalArgumentException(
            "\"cluster.tls\": "
                + file
                + " cannot be read ("
                + e.getClass().getSimpleName()
                + "); correct the path or its permissions",
            e);
      }
    }
  }
}
