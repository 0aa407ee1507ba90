package dev.mcpbus.transport.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.demo.DemoProcess;
import dev.mcpbus.transport.RawClient;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reason;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SdkClientTransportIT {

  private final Vertx vertx = Vertx.vertx();
  private final McpJsonMapper mapper = McpJsonDefaults.getMapper();

  @AfterEach
  void close() throws Exception {
    RawClient.get(vertx.close());
  }

  private SdkClientTransport transport(String command, List<String> args) {
    ServerParameters parameters = ServerParameters.builder(command).args(args).build();
    return new SdkClientTransport(
        "sdk-stdio", mapper, () -> new StdioClientTransport(parameters, mapper));
  }

  @Test
  void a_stdio_transport_of_the_sdk_reaches_the_demo_process_and_leaves_none() throws Exception {
    long before = childCount();
    RawClient client =
        RawClient.open(vertx, transport(DemoProcess.java(), DemoProcess.arguments()));
    assertThat(client.handshake().getJsonObject("serverInfo").getString("name"))
        .isEqualTo("mcpbus-demo");
    assertThat(childCount()).isEqualTo(before + 1);
    assertThat(client.call("echo", "{\"text\":\"hello\"}")).isEqualTo("hello");
    List<Future<JsonObject>> calls =
        IntStream.range(0, 200)
            .mapToObj(
                i ->
                    client.request(
                        "tools/call", "{\"name\":\"add\",\"arguments\":{\"a\":" + i + ",\"b\":1}}"))
            .toList();
    for (int i = 0; i < calls.size(); i++) {
      JsonObject result = RawClient.get(calls.get(i)).getJsonObject("result");
      assertThat(result.getJsonObject("structuredContent").getInteger("sum")).isEqualTo(i + 1);
    }
    client.close();
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> childCount() == before);
  }

  @Test
  void a_command_that_does_not_exist_fails_the_opening_without_its_arguments() {
    SdkClientTransport transport =
        transport("no-such-command-of-mcpbus", List.of("--token=geheim"));
    assertThatThrownBy(() -> RawClient.open(vertx, transport))
        .cause()
        .isInstanceOfSatisfying(
            TransportException.class,
            failure -> {
              assertThat(failure.reason()).isEqualTo(Reason.CONNECT_FAILED);
              assertThat(failure).hasMessageContaining("No such file");
              assertThat(failure.getMessage()).doesNotContain("geheim");
            });
  }

  private static long childCount() {
    return ProcessHandle.current().children().filter(ProcessHandle::isAlive).count();
  }
}
