package dev.mcpbus.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.CallRepeats;
import dev.mcpbus.bus.ClusterMembership;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.bus.RequestSender;
import dev.mcpbus.gateway.request.SessionHostNames;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.security.Principal;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Two clients with one key would share their sessions at servers. */
@ExtendWith(VertxExtension.class)
class ClientHostsTest {

  private static final String INFO = "io.modelcontextprotocol/clientInfo";
  private static final String CLIENT = "dev.mcpbus/client";

  @SuppressWarnings("NullAway.Init") // by open
  private ClientHosts hosts;

  @BeforeEach
  void open(Vertx vertx) {
    hosts = new ClientHosts(new SessionHostNames(vertx, 1));
  }

  private String key(String principal, @Nullable Object info, @Nullable Object client) {
    JsonObject meta = new JsonObject();
    if (info != null) {
      meta.put(INFO, info);
    }
    if (client != null) {
      meta.put(CLIENT, client);
    }
    return hosts.key(new Principal(principal), RawJson.of(meta));
  }

  /** Subjects of tokens, and the names of clients, may have any character. */
  @Test
  void parts_of_one_client_never_make_the_key_of_another() {
    String info = "{\"name\":\"a\"}";
    List<String> keys = new ArrayList<>();
    keys.add(key("ada", new JsonObject(info), "\u0000x"));
    keys.add(key("ada\u0000" + info, null, "x"));
    keys.add(key("ada\u0000" + info + "\u0000", null, "x"));
    keys.add(key("ada", new JsonObject(info), "x"));
    keys.add(key("ada", new JsonObject(info), "\u0000\u0000x"));
    keys.add(key("ada", info, "x"));
    keys.add(key("ada", null, "x"));
    keys.add(key("ada", null, null));
    keys.add(key("ada", "null", null));
    keys.add(key("ad", "a", null));
    keys.add(key("ada", null, "null"));
    keys.add(key("", "ada", null));
    keys.add(key("ada", 1, null));
    keys.add(key("ada", new JsonArray().add(1), null));
    keys.add(key("ad\u0430", null, null)); // looks like "ada"
    assertThat(new HashSet<>(keys)).hasSameSizeAs(keys);
    assertThat(key("ada", info, "x")).isEqualTo(keys.get(5));
  }

  @Test
  void a_name_that_is_no_text_is_refused() {
    for (Object name :
        List.of(1, true, new JsonObject(), new JsonArray().add("x"), "", "x".repeat(1 << 20))) {
      assertThatThrownBy(() -> key("ada", null, name))
          .hasMessageContaining(CLIENT)
          .hasMessageContaining("200");
    }
    assertThat(key("ada", null, "x")).isNotEqualTo(key("ada", null, "y"));
  }

  @Test
  void what_a_host_keeps_of_a_client_has_a_bound() {
    assertThatThrownBy(() -> key("ada", new JsonObject().put("name", "x".repeat(65_536)), null))
        .hasMessageContaining(INFO)
        .hasMessageContaining("65536");
  }

  // ---- hosts on other nodes

  /**
   * Session hosts that name others, in the order in which they are asked; the last answers itself.
   */
  private record HostsInTurn(Vertx vertx, List<String> asked, List<String> others)
      implements RequestSender {

    private static final String NODE = "0123456789ab-0000";

    @Override
    @SuppressWarnings("unchecked") // the caller expects bytes
    public <T> Future<Message<T>> requestOnce(
        @Nullable ConnectionId server, String address, Object body, DeliveryOptions options) {
      asked.add(address);
      String other = others.get(asked.size() - 1);
      DeliveryOptions answer = new DeliveryOptions();
      if (!other.equals("here")) {
        answer.addHeader("host", other);
      }
      String at = "host " + asked.size();
      vertx.eventBus().<Buffer>localConsumer(at, message -> message.reply(Buffer.buffer(), answer));
      return (Future<Message<T>>) (Future<?>) vertx.eventBus().<Buffer>request(at, Buffer.buffer());
    }

    @Override
    public CallRepeats repeats() {
      return CallRepeats.of(vertx);
    }

    @Override
    public ClusterMembership membership() {
      return new ClusterMembership() {
        @Override
        public String self() {
          return NODE;
        }

        @Override
        public List<String> nodes() {
          return List.of(NODE);
        }

        @Override
        public void onChange(BiConsumer<String, Boolean> listener) {}
      };
    }
  }

  private static FailureCode failure(ClientHosts of, boolean over) {
    Future<Message<Buffer>> sent =
        of.send("key", RawJson.EMPTY_OBJECT, new DeliveryOptions(), () -> over);
    await().until(sent::isComplete);
    return McpFailure.of(sent.cause()).code();
  }

  /** Else the next host has a stream or a call that no message ends. */
  @Test
  void a_request_whose_client_has_left_goes_to_no_further_host(Vertx vertx) {
    List<String> asked = new CopyOnWriteArrayList<>();
    List<String> others =
        IntStream.range(0, 5)
            .mapToObj(i -> "0123456789ab" + String.format(Locale.ROOT, "%04x", 100 + i))
            .toList();
    vertx
        .sharedData()
        .<String, RequestSender>getLocalMap("dev.mcpbus.sender")
        .put("", new HostsInTurn(vertx, asked, others));
    ClientHosts moving = new ClientHosts(new SessionHostNames(vertx, 1));
    assertThat(failure(moving, true)).isEqualTo(FailureCode.CANCELLED);
    assertThat(asked).hasSize(1);
    assertThat(failure(moving, false)).isEqualTo(FailureCode.UNAVAILABLE);
    assertThat(asked).hasSize(5).doesNotHaveDuplicates();
  }

  @Test
  void a_host_that_is_leaving_sends_the_client_to_a_host_of_its_own_node(Vertx vertx) {
    List<String> asked = new CopyOnWriteArrayList<>();
    vertx
        .sharedData()
        .<String, RequestSender>getLocalMap("dev.mcpbus.sender")
        .put("", new HostsInTurn(vertx, asked, List.of("0123456789ab0abc", "", "here")));
    ClientHosts leaving = new ClientHosts(new SessionHostNames(vertx, 1));
    String own = leaving.host("key");
    Future<Message<Buffer>> sent =
        leaving.send("key", RawJson.EMPTY_OBJECT, new DeliveryOptions(), () -> false);
    await().until(sent::isComplete);
    assertThat(sent.succeeded()).isTrue();
    assertThat(asked)
        .containsExactly(
            Addresses.GATEWAY_SESSIONS + own,
            Addresses.GATEWAY_SESSIONS + "0123456789ab0abc",
            Addresses.GATEWAY_SESSIONS + own);
    assertThat(leaving.host("key")).isEqualTo(own);
  }
}
