package dev.mcpbus.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.Test;

class ReservedPortTest {

  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
  private static final String HOST = LOOPBACK.getHostAddress();

  private static ServerSocket listen(int port) throws IOException {
    ServerSocket socket = new ServerSocket();
    try {
      socket.bind(new InetSocketAddress(LOOPBACK, port));
    } catch (IOException taken) {
      socket.close();
      throw taken;
    }
    return socket;
  }

  /** Free, but a connection at it is in TIME_WAIT, as after the end of a process that served. */
  private static int usedPort() throws IOException {
    try (ServerSocket server = listen(0);
        Socket client = new Socket(LOOPBACK, server.getLocalPort())) {
      server.accept().close(); // the side that closes first has TIME_WAIT
      assertThat(client.getInputStream().read()).isEqualTo(-1);
      return server.getLocalPort();
    }
  }

  @Test
  void a_port_in_use_cannot_be_reserved() throws IOException {
    try (ServerSocket other = listen(0)) {
      assertThatThrownBy(() -> ReservedPort.of(HOST, other.getLocalPort()))
          .isInstanceOf(BindException.class);
    }
  }

  @Test
  void connections_to_a_reserved_port_are_refused_and_nothing_else_takes_it() throws IOException {
    int port = usedPort();
    try (ReservedPort reserved = ReservedPort.of(HOST, port)) {
      assertThat(reserved).isNotNull();
      assertThatThrownBy(() -> new Socket(LOOPBACK, port).close())
          .isInstanceOf(ConnectException.class);
      assertThatThrownBy(() -> listen(port).close()).isInstanceOf(BindException.class);
      assertThatThrownBy(() -> ReservedPort.of(HOST, port)).isInstanceOf(BindException.class);
    }
    listen(port).close();
  }

  @Test
  void port_0_reserves_nothing() {
    String another = "192.0.2.1"; // an address of documents, which no machine has
    assertThatThrownBy(() -> ReservedPort.of(another, 1)).isInstanceOf(BindException.class);
    assertThatCode(() -> ReservedPort.of(another, 0).close()).doesNotThrowAnyException();
  }
}
