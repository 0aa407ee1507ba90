package plain;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.json.JsonObject;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A clustered Vert.x and its bus, nothing else. Arguments: the cluster's name, the port of
 * Hazelcast, then its members. Each line of standard input, an address, a space and a body, is a
 * request; each reply a line of standard output.
 */
public final class PlainCaller {

  private PlainCaller() {}

  public static void main(String[] args) throws IOException {
    List<String> members = List.of(args).subList(2, args.length);
    Config config = new Config().setClusterName(args[0]);
    config.setProperty("hazelcast.socket.bind.any", "false");
    config.setProperty("hazelcast.logging.type", "none");
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.getNetworkConfig().setPort(Integer.parseInt(args[1])).setPortAutoIncrement(false);
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    JoinConfig join = config.getNetworkConfig().getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true).setMembers(members);
    Vertx.builder()
        .with(new VertxOptions().setEventBusOptions(new EventBusOptions().setHost("127.0.0.1")))
        .withClusterManager(new HazelcastClusterManager(config))
        .buildClustered()
        .onSuccess(PlainCaller::serve)
        .onFailure(
            failure -> {
              System.out.println("failed " + failure);
              System.exit(1);
            });
  }

  private static void serve(Vertx vertx) {
    System.out.println("joined");
    Thread reader = new Thread(() -> read(vertx), "requests");
    reader.start();
  }

  private static void read(Vertx vertx) {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        int space = line.indexOf(' ');
        vertx
            .eventBus()
            .<JsonObject>request(
                line.substring(0, space), new JsonObject(line.substring(space + 1)))
            .onSuccess(reply -> System.out.println(reply.body().encode()))
            .onFailure(failure -> System.out.println(describe(failure)));
      }
    } catch (IOException e) {
      System.out.println("failed " + e);
    }
    vertx.close().onComplete(closed -> System.exit(0));
  }

  private static String describe(Throwable failure) {
    return failure instanceof ReplyException reply
        ? "failed " + reply.failureType() + " " + reply.failureCode() + " " + reply.getMessage()
        : "failed " + failure;
  }
}
