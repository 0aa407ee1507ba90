package dev.mcpbus.internals;

import static dev.mcpbus.testing.TestBus.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.testing.Certificates;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.impl.clustered.ClusteredMessage;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerConfig;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.internal.CloseFuture;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.impl.ConnectionBase;
import io.vertx.junit5.VertxExtension;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import jdk.net.ExtendedSocketOptions;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * What an upgrade of Vert.x or Netty may move, class by class. A failure here says what a class of
 * this package rests on and where to look; the tests of its users would only say that a bound does
 * not hold or a connection hangs.
 */
@ExtendWith(VertxExtension.class)
class InternalsTest {

  private static final String HOST = "127.0.0.1";

  // ---- event loops

  @Test
  void each_event_loop_runs_a_task_of_its_own_until_the_end(Vertx vertx) {
    Set<Thread> ran = ConcurrentHashMap.newKeySet();
    AtomicInteger tasks = new AtomicInteger();
    Runnable end =
        EventLoops.repeat(
            vertx,
            Duration.ofMillis(1),
            () -> {
              tasks.incrementAndGet();
              return () -> ran.add(Thread.currentThread());
            });
    int loops = VertxOptions.DEFAULT_EVENT_LOOP_POOL_SIZE;
    Awaitility.await()
        .untilAsserted(
            () ->
                assertThat(ran)
                    .as("EventLoops: VertxInternal.nettyEventLoopGroup() has every event loop")
                    .hasSize(loops));
    assertThat(tasks).hasValue(loops);
    assertThat(ran).allMatch(thread -> thread.getName().startsWith("vert.x-eventloop-thread-"));
    end.run();
  }

  // ---- contexts, buffers, messages

  @Test
  void own_context_completes_a_promise_on_its_own_thread(Vertx vertx) {
    InternalContext own = InternalContext.create(vertx);
    Promise<Boolean> seen = Promise.promise();
    Promise<String> promise = own.promise();
    promise.future().onSuccess(any -> seen.complete(own.inThread() && own.isCurrent()));
    promise.complete("from a thread of no context");
    assertThat(await(seen.future()))
        .as("InternalContext: ContextInternal.promise() completes on that context")
        .isTrue();
  }

  @Test
  void own_context_runs_a_hook_when_its_verticle_ends(Vertx vertx) {
    List<String> closed = new ArrayList<>();
    String id =
        await(
            vertx.deployVerticle(
                new AbstractVerticle() {
                  @Override
                  public void start() {
                    InternalContext.of(context)
                        .addCloseHook(
                            done -> {
                              closed.add("hook");
                              done.succeed();
                            });
                  }
                }));
    await(vertx.undeploy(id));
    assertThat(closed)
        .as("InternalContext: ContextInternal.addCloseHook runs with the end of the verticle")
        .containsExactly("hook");
  }

  @Test
  void own_context_unwraps_the_copies_that_vertx_makes_for_requests(Vertx vertx) {
    Promise<Context> ofRequest = Promise.promise();
    InternalContext own = InternalContext.create(vertx);
    own.run(
        () ->
            listen(
                vertx,
                request -> {
                  ofRequest.complete(vertx.getOrCreateContext());
                  request.response().end();
                },
                port -> get(vertx.createHttpClient(), port)));
    Context context = await(ofRequest.future());
    assertThat(InternalContext.unwrapped(context).context())
        .as(
            "InternalContext: ContextInternal.unwrap() gives the context that a request's is a copy of")
        .isSameAs(own.context());
  }

  @Test
  void raw_buffers_share_the_array() {
    byte[] bytes = {1, 2, 3, 4};
    Buffer slice = RawBuffers.of(bytes, 1, 2);
    assertThat(RawBuffers.array(slice))
        .as("RawBuffers: BufferInternal.getByteBuf() has the array that it was made of")
        .isSameAs(bytes);
    assertThat(RawBuffers.offset(slice)).as("RawBuffers: ByteBuf.arrayOffset()").isEqualTo(1);
    Buffer three = RawBuffers.of(new byte[] {9}, bytes, 1, 2, new byte[] {8});
    assertThat(RawBuffers.isWhole(three)).as("RawBuffers: three arrays in one buffer").isFalse();
    assertThat(RawBuffers.pieces(three)).hasSize(3);
    assertThat(three.getBytes()).containsExactly(9, 2, 3, 8);
  }

  @Test
  void long_map_takes_a_long_without_a_box() {
    LongMap<String> map = new LongMap<>();
    map.put(Long.MAX_VALUE, "a");
    List<Long> keys = new ArrayList<>();
    map.forEach((key, value) -> keys.add(key));
    assertThat(keys).as("LongMap: Netty's LongObjectHashMap").containsExactly(Long.MAX_VALUE);
    assertThat(map.remove(Long.MAX_VALUE)).isEqualTo("a");
  }

  @Test
  void wire_messages_know_a_local_message(Vertx vertx) {
    EventBus bus = vertx.eventBus();
    bus.consumer("here", message -> message.reply(WireMessages.isFromWire(message)));
    assertThat(await(bus.<Boolean>request("here", "")).body()).isFalse();
    assertThat(new ClusteredMessage<>(null).isFromWire())
        .as("WireMessages: ClusteredMessage.isFromWire() is false until it was read from a socket")
        .isFalse();
  }

  @Test
  void wire_messages_know_a_message_that_was_discarded(Vertx vertx) {
    MessageConsumer<Object> consumer = vertx.eventBus().consumer("paused", message -> {});
    consumer.pause();
    Future<?> call = vertx.eventBus().request("paused", "");
    await(consumer.unregister());
    Throwable failure = failure(call);
    assertThat(failure).isInstanceOf(ReplyException.class);
    assertThat(WireMessages.wasDiscarded((ReplyException) failure))
        .as("WireMessages: the text with which Vert.x discards what nobody read: %s", failure)
        .isTrue();
  }

  // ---- accepted connections

  @Test
  void an_inbound_connection_is_found_again_and_its_decoder_replaced(Vertx vertx) {
    List<@Nullable Object> seen = new ArrayList<>();
    HttpServerOptions options = new HttpServerOptions().setHttp2ClearTextEnabled(false);
    HttpServer server =
        vertx
            .createHttpServer(options)
            .connectionHandler(
                http -> {
                  InboundConnection begun = InboundConnection.begun(http);
                  StrictRequestDecoder.install(
                      begun, new HttpServerConfig(options).getHttp1Config());
                  seen.add(begun.channel().pipeline().get("httpDecoder"));
                  seen.add(begun);
                  seen.add(InboundConnection.of(http));
                })
            .invalidRequestHandler(
                request -> {
                  seen.add(HttpConnections.refusal(request));
                  request.response().setStatusCode(400).end();
                })
            .requestHandler(request -> request.response().end());
    int port = await(server.listen(0, HOST)).actualPort();
    NetSocket socket = await(vertx.createNetClient().connect(port, HOST));
    Promise<Buffer> answer = Promise.promise();
    socket.handler(answer::tryComplete);
    await(
        socket.write(
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"));
    assertThat(await(answer.future()).toString())
        .as("StrictRequestDecoder: isContentAlwaysEmpty is what Netty asks first of a whole head")
        .startsWith("HTTP/1.1 400 ");
    assertThat(seen.get(0))
        .as("StrictRequestDecoder: Vert.x has its decoder of HTTP/1 in the pipeline as httpDecoder")
        .isInstanceOf(StrictRequestDecoder.class);
    assertThat(seen.get(2))
        .as("InboundConnection: an HttpServerConnection has the channel that it was made for")
        .isSameAs(seen.get(1));
    assertThat(seen.get(3))
        .as("HttpConnections: HttpServerRequest.decoderResult() has why a head was refused")
        .isInstanceOf(StrictRequestDecoder.AmbiguousLengthException.class);
  }

  @Test
  void control_frames_are_heard_before_vertx_hears_them(Vertx vertx) {
    Promise<Object> listener = Promise.promise();
    HttpServer server =
        vertx
            .createHttpServer()
            .connectionHandler(
                http -> {
                  InboundConnection connection = InboundConnection.begun(http);
                  ControlFrameLimit.install(connection);
                  Http2ConnectionHandler http2 =
                      connection.channel().pipeline().get(Http2ConnectionHandler.class);
                  listener.complete(http2 == null ? "none" : http2.decoder().frameListener());
                })
            .requestHandler(request -> request.response().end());
    int port = await(server.listen(0, HOST)).actualPort();
    HttpClientResponse response = get(http2(vertx), port);
    assertThat(response.statusCode()).isEqualTo(200);
    assertThat(await(listener.future()))
        .as("ControlFrameLimit: the Http2ConnectionHandler of a connection takes a frame listener")
        .isInstanceOf(ControlFrameLimit.class);
  }

  @Test
  void a_tls_connection_is_heard_of_when_it_is_accepted(Vertx vertx, @TempDir Path folder) {
    Certificates certificates = new Certificates(folder).selfSigned("front", "dns:localhost");
    Promise<Boolean> accepted = Promise.promise();
    HttpServerOptions options =
        new HttpServerOptions()
            .setSsl(true)
            .setSslEngineOptions(new AcceptedTlsFactory(c -> accepted.tryComplete(c.isOpen())))
            .setKeyCertOptions(
                new PemKeyCertOptions()
                    .addCertPath(certificates.certificate("front", "c.pem").toString())
                    .addKeyPath(certificates.key("front", "k.pem").toString()));
    HttpServer server = vertx.createHttpServer(options).requestHandler(request -> {});
    int port = await(server.listen(0, HOST)).actualPort();
    await(vertx.createNetClient().connect(port, HOST)); // says nothing
    Awaitility.await("AcceptedTlsFactory: Vert.x asks the engine's factory for each handler")
        .until(accepted.future()::isComplete);
  }

  @Test
  void a_forced_close_does_not_wait_for_a_client_that_does_not_read(Vertx vertx) {
    Promise<Void> closed = Promise.promise();
    Promise<Void> closedHttp = Promise.promise();
    Buffer much = Buffer.buffer(new byte[64 * 1024 * 1024]);
    NetServer server =
        vertx
            .createNetServer()
            .connectHandler(
                socket -> {
                  socket.write(much);
                  ForcedClose.on(socket, closed::complete);
                });
    NetSocket raw =
        await(vertx.createNetClient().connect(await(server.listen(0, HOST)).actualPort(), HOST));
    raw.pause();
    Awaitility.await("ForcedClose: a NetSocketInternal has the context that closes below its queue")
        .until(closed.future()::isComplete);
    HttpServer http =
        vertx
            .createHttpServer()
            .requestHandler(
                request -> {
                  request.connection().closeHandler(closedHttp::complete);
                  request.response().end(much);
                  ForcedClose.on(request);
                });
    NetSocket client =
        await(vertx.createNetClient().connect(await(http.listen(0, HOST)).actualPort(), HOST));
    client.pause();
    await(client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    Awaitility.await("ForcedClose: the first context of the pipeline closes, past the flush")
        .until(closedHttp.future()::isComplete);
  }

  // ---- connections to servers

  @Test
  void keep_alive_times_reach_the_socket(Vertx vertx) {
    NetServer server = vertx.createNetServer().connectHandler(socket -> {});
    NetSocket socket =
        await(vertx.createNetClient().connect(await(server.listen(0, HOST)).actualPort(), HOST));
    TcpKeepAlive.hasten(socket);
    assertThat(socket)
        .as("TcpKeepAlive: a socket is a ConnectionBase, which has the channel")
        .isInstanceOf(ConnectionBase.class);
    assertThat(
            ((ConnectionBase) socket)
                .channel()
                .config()
                .getOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE)))
        .as("TcpKeepAlive: the channel is a NioSocketChannel, which takes the options of the JDK")
        .isEqualTo(TcpKeepAlive.IDLE_SECONDS);
  }

  @Test
  void a_dedicated_connection_is_of_no_pool(Vertx vertx) {
    List<HttpConnection> connected = new ArrayList<>();
    HttpClientAgent client = vertx.createHttpClient();
    HttpServer server = vertx.createHttpServer().requestHandler(r -> r.response().end("x"));
    int port = await(server.listen(0, HOST)).actualPort();
    RequestOptions get =
        new RequestOptions()
            .setMethod(HttpMethod.GET)
            .setHost(HOST)
            .setPort(port)
            .setURI("/")
            .setSsl(false)
            .setServer(SocketAddress.inetSocketAddress(port, HOST));
    for (int i = 0; i < 2; i++) {
      // On the request's own context: a body that ends before it is asked for is lost.
      Future<Buffer> body =
          DedicatedConnection.get(client, get, connected::add)
              .compose(request -> request.send().compose(HttpClientResponse::body));
      assertThat(await(body).toString()).isEqualTo("x");
    }
    assertThat(connected)
        .as(
            "DedicatedConnection: what HttpClient.connect gives is an UnpooledHttpClientConnection,"
                + " which unwraps the connection with the socket of the keep-alive times")
        .hasSize(2)
        .hasOnlyElementsOfType(ConnectionBase.class)
        .doesNotHaveDuplicates();
    await(client.close());
    assertThat(failure(DedicatedConnection.get(client, get, connected::add)))
        .as("DedicatedConnection: connect of a closed client throws")
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  @SuppressWarnings("deprecation") // what a server names the last stream by
  void an_http_2_connection_says_what_the_server_did_not_read(Vertx vertx) {
    AtomicInteger arrived = new AtomicInteger();
    HttpServer server =
        vertx
            .createHttpServer()
            .requestHandler(
                request -> {
                  if (arrived.incrementAndGet() == 2) {
                    request.connection().goAway(0, 1); // says: I have read the first alone
                  }
                });
    int port = await(server.listen(0, HOST)).actualPort();
    HttpClientAgent client = http2(vertx);
    Promise<Void> gone = Promise.promise();
    HttpClientRequest first = await(client.request(HttpMethod.GET, port, HOST, "/"));
    first.connection().goAwayHandler(away -> gone.tryComplete());
    await(first.writeHead());
    HttpClientRequest second = await(client.request(HttpMethod.GET, port, HOST, "/"));
    await(second.writeHead());
    await(gone.future());
    assertThat(second.connection()).isSameAs(first.connection());
    assertThat(HttpConnections.isUnread(first)).as("it may have been served").isFalse();
    assertThat(HttpConnections.isUnread(second))
        .as(
            "HttpConnections: a connection of HTTP/2 is a ConnectionBase with Netty's handler, whose"
                + " lastStreamKnownByPeer() is that of the GOAWAY")
        .isTrue();
  }

  @Test
  void a_socket_client_without_a_scope_outlives_its_owner(Vertx vertx) {
    List<NetClient> built = new ArrayList<>();
    String id =
        await(
            vertx.deployVerticle(
                new AbstractVerticle() {
                  @Override
                  public void start() {
                    built.add(UnscopedClient.of(vertx, new NetClientOptions()));
                  }
                }));
    await(vertx.undeploy(id));
    NetServer server = vertx.createNetServer().connectHandler(socket -> {});
    int port = await(server.listen(0, HOST)).actualPort();
    assertThat(await(built.get(0).connect(port, HOST)).remoteAddress().port())
        .as("UnscopedClient: what NetClientBuilder builds is in no CloseFuture")
        .isEqualTo(port);
    await(built.get(0).close());
    assertThat(failure(built.get(0).connect(port, HOST)))
        .as("UnscopedClient: it is closed by who has it")
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void a_closed_http_client_is_not_kept_by_its_owner(Vertx vertx) throws Exception {
    ContextInternal owner = (ContextInternal) vertx.getOrCreateContext();
    Field children = CloseFuture.class.getDeclaredField("children");
    children.setAccessible(true);
    HttpClientAgent client = vertx.createHttpClient();
    Map<?, ?> kept = (Map<?, ?>) children.get(owner.closeFuture());
    int before = kept.size();
    await(client.close());
    assertThat(kept)
        .as("HttpClients: the CloseFuture of the owner's context lets go of a closed HTTP client")
        .hasSize(before - 1);
  }

  private static void listen(
      Vertx vertx, Consumer<HttpServerRequest> serve, Consumer<Integer> then) {
    vertx
        .createHttpServer()
        .requestHandler(serve::accept)
        .listen(0, HOST)
        .onSuccess(server -> new Thread(() -> then.accept(server.actualPort()), "client").start());
  }

  private static HttpClientAgent http2(Vertx vertx) {
    return vertx.createHttpClient(
        new HttpClientOptions()
            .setProtocolVersion(HttpVersion.HTTP_2)
            .setHttp2ClearTextUpgrade(false));
  }

  private static HttpClientResponse get(HttpClientAgent client, int port) {
    return await(client.request(HttpMethod.GET, port, HOST, "/").compose(HttpClientRequest::send));
  }

  private static Throwable failure(Future<?> call) {
    return Objects.requireNonNull(
        await(call.map(any -> (Throwable) new AssertionError(any)).otherwise(e -> e)));
  }
}
