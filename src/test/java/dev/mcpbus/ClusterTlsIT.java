package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.BusFrame;
import dev.mcpbus.testing.Certificates;
import dev.mcpbus.testing.ClusterBed;
import dev.mcpbus.testing.EchoServer;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.ServiceProcess;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes of the jar whose event buses show each other certificates. */
@Timeout(value = 4, unit = TimeUnit.MINUTES)
class ClusterTlsIT {

  private static final char[] PASSWORD = Certificates.PASSWORD.toCharArray();
  private static final int SERVERS = 4;
  private static final Set<String> BOTH = Set.of("n1", "n2");

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init")
  private Certificates certificates;

  private JsonObject tls(String alias, String authority) {
    return new JsonObject()
        .put(
            "tls",
            new JsonObject()
                .put("certFile", certificates.certificate(alias, alias + ".crt").toString())
                .put("keyFile", certificates.key(alias, alias + ".key").toString())
                .put("caFile", certificates.certificate(authority, authority + ".crt").toString()));
  }

  private Path ran(int i) {
    return folder.resolve("ran-" + i);
  }

  private JsonObject servers() {
    JsonObject servers = new JsonObject();
    for (int i = 0; i < SERVERS; i++) {
      servers.put("s" + i, EchoServer.shell(ran(i).toString()));
    }
    return servers;
  }

  private static JsonObject call(String name) {
    return new JsonObject().put("call", name).put("deadline", 1);
  }

  private String executed() throws IOException {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < SERVERS; i++) {
      if (Files.exists(ran(i))) {
        all.append(Files.readString(ran(i)));
      }
    }
    return all.toString();
  }

  private static int busPort(ServiceProcess node, String name) {
    return node.get("/api/nodes").json().getJsonArray("nodes").stream()
        .map(JsonObject.class::cast)
        .filter(one -> one.getString("name").equals(name))
        .findFirst()
        .orElseThrow()
        .getInteger("port");
  }

  @Tag("release")
  @Test
  void only_a_node_with_a_certificate_of_the_authority_takes_part() throws Exception {
    certificates =
        new Certificates(Files.createDirectories(folder.resolve("certificates")))
            .authority("nodes")
            .authority("others")
            .signed("node", "nodes", "ip:127.0.0.1", "-1d", 10)
            .signed("intruder", "others", "ip:127.0.0.1", "-1d", 10);
    try (ClusterBed bed = new ClusterBed(folder, 4)) {
      JsonObject servers = servers();
      bed.start("n1", servers, tls("node", "nodes"));
      bed.start("n2", servers, tls("node", "nodes"));
      Map<String, JsonObject> statuses = bed.settled(bed.node("n1"), SERVERS, BOTH);
      // Each by the door of the other: over the bus.
      for (String server : statuses.keySet()) {
        String owner = String.valueOf(statuses.get(server).getString("node"));
        Http.Answer answer = bed.other(owner).callTool(server, "echo", call("good-" + server));
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
      }
      String good = executed();
      assertThat(good.lines().filter(line -> line.startsWith("good-"))).hasSize(SERVERS);

      // By hand: in clear, and with TLS but without a certificate.
      int port = busPort(bed.node("n1"), "n1");
      Buffer[] calls =
          statuses.keySet().stream()
              .map(
                  server ->
                      BusFrame.to("mcp." + server + ".tools.call")
                          .with(
                              new JsonObject()
                                  .put("name", "echo")
                                  .put("arguments", call("by-hand"))))
              .toArray(Buffer[]::new);
      BusFrame.write(port, calls);
      assertThat(isAnswered(port, null, calls)).isFalse();
      assertThat(isAnswered(port, keys())).as("with a certificate").isTrue();

      // A node that knows the secret and trusts the others, with a certificate of somebody else.
      ServiceProcess intruder = bed.start("n3", new JsonObject(), tls("intruder", "nodes"));
      assertThat(intruder.awaitExit(Duration.ofSeconds(60))).isEqualTo(1);
      assertThat(intruder.errText())
          .contains("mcpbus could not join a cluster: the event bus of node 'n")
          .contains("cluster.tls", "caFile");
      // And one without any.
      ServiceProcess clear = bed.start("n4", new JsonObject());
      assertThat(clear.awaitExit(Duration.ofSeconds(60))).isEqualTo(1);
      assertThat(clear.errText()).contains("does not accept this node", "cluster.tls");
      bed.settled(bed.node("n1"), SERVERS, BOTH);
      assertThat(executed()).isEqualTo(good).doesNotContain("by-hand", "intruder");
      for (String node : List.of("n1", "n2")) {
        assertThat(bed.node(node).runs()).isTrue();
      }
    }
  }

  /** The one that the bus accepts is chosen by its authority. */
  private KeyManager[] keys() throws Exception {
    KeyStore all = KeyStore.getInstance(certificates.store().toFile(), PASSWORD);
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(all, PASSWORD);
    return factory.getKeyManagers();
  }

  /** Whether a bus answers a ping over TLS, behind other frames. */
  private static boolean isAnswered(int port, KeyManager @Nullable [] keys, Buffer... frames)
      throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys, new TrustManager[] {new TrustingAll()}, new SecureRandom());
    try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), port);
        SSLSocket socket =
            (SSLSocket) context.getSocketFactory().createSocket(plain, "127.0.0.1", port, true)) {
      socket.setSoTimeout(5_000);
      socket.startHandshake();
      for (Buffer frame : frames) {
        socket.getOutputStream().write(frame.getBytes());
      }
      socket
          .getOutputStream()
          .write(BusFrame.to("ping").with((byte) 1, Buffer.buffer()).getBytes());
      socket.getOutputStream().flush();
      InputStream in = socket.getInputStream();
      return in.read() == 1;
    } catch (IOException refused) {
      return false;
    }
  }

  private static final class TrustingAll implements X509TrustManager {

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
