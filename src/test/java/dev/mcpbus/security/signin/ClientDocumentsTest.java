package dev.mcpbus.security.signin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.security.oauth.GuardedHttp;
import dev.mcpbus.security.oauth.GuardedHttp.Reply;
import dev.mcpbus.security.oauth.UrlGuard;
import dev.mcpbus.testing.LoginBrowser;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Clients whose ids are URLs: which documents are read, for how long, and which are refused. */
@ExtendWith(VertxExtension.class)
@SuppressWarnings("NullAway.Init")
class ClientDocumentsTest {

  private static final String ID = "https://app.example/client.json";

  private final Map<String, String> documents = new ConcurrentHashMap<>();
  private final Map<String, String> headers = new ConcurrentHashMap<>();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final AtomicLong seconds = new AtomicLong();
  private volatile int status = 200;
  private Vertx vertx;
  private Context context;
  private HttpServer server;
  private ClientDocuments clients;

  @BeforeEach
  void start(Vertx injected) {
    vertx = injected;
    context = vertx.getOrCreateContext();
    server = vertx.createHttpServer().requestHandler(this::answer).listen(0, "127.0.0.1").await();
    clients = of(published());
  }

  @AfterEach
  void stop() {
    server.close().await();
  }

  private void answer(HttpServerRequest request) {
    asked.add(request.uri());
    request.response().headers().addAll(headers);
    request
        .response()
        .setStatusCode(status)
        .end(documents.getOrDefault("https://app.example" + request.uri(), ""));
  }

  /** Over real requests: what {@code app.example} publishes is at a server of this test. */
  private Function<String, Future<Reply>> published() {
    String own = "http://127.0.0.1:" + server.actualPort();
    GuardedHttp http = new GuardedHttp(vertx, GuardedHttp.TIMEOUT, null);
    UrlGuard guard =
        new UrlGuard(
            List.of(URI.create(own)),
            host -> Future.succeededFuture(List.of(InetAddress.getLoopbackAddress())));
    return id -> http.once(guard, id.replace("https://app.example", own), "the document");
  }

  private ClientDocuments of(Function<String, Future<Reply>> fetch) {
    return new ClientDocuments(fetch, List.of("https://*"), () -> seconds.get() * 1_000_000_000);
  }

  private static JsonObject document(String id) {
    return new JsonObject()
        .put("client_id", id)
        .put("client_name", "An app")
        .put("redirect_uris", new JsonArray().add(SignInProgram.REDIRECT));
  }

  private void publish(JsonObject document) {
    documents.put(ID, document.encode());
  }

  private Future<SignInClient> find(String id) {
    Promise<SignInClient> found = Promise.promise();
    context.runOnContext(now -> clients.find(id).onComplete(found));
    return found.future();
  }

  private String name() {
    return TestBus.await(find(ID)).name();
  }

  private SignInRefusal refusal(String id) {
    Throwable failure =
        TestBus.await(find(id).transform((client, why) -> Future.succeededFuture(why)));
    assertThat(failure).as(id).isInstanceOf(SignInRefusal.class);
    return (SignInRefusal) failure;
  }

  /** Fetches nothing that is kept, and says of what was refused that it is. */
  private void assertThatItIsRefused(JsonObject document) {
    publish(document);
    seconds.addAndGet(4_000);
    assertThat(refusal(ID).status()).as(document.encode()).isEqualTo(401);
  }

  @Test
  void a_document_is_read_once_and_kept_for_as_long_as_it_says() {
    publish(document(ID));
    headers.put("cache-control", "private, max-age=120");
    assertThat(name()).isEqualTo("An app");
    publish(document(ID).put("client_name", "An app with another name"));
    seconds.set(119);
    assertThat(name()).isEqualTo("An app");
    assertThat(asked).hasSize(1);
    seconds.set(120);
    assertThat(name()).isEqualTo("An app with another name");
    assertThat(asked).hasSize(2);
  }

  @Test
  void no_document_is_kept_for_less_than_a_minute_or_for_more_than_an_hour() {
    publish(document(ID));
    Map<String, Integer> kept =
        Map.of(
            "no-store", 60,
            "max-age=0", 60,
            "no-cache, max-age=900", 60,
            "s-maxage=5", 600,
            "max-age=x", 600,
            "public, max-age=700, must-revalidate", 700,
            "max-age=99999999999", 600,
            "max-age=999999999", 3_600);
    kept.forEach(
        (said, lasts) -> {
          headers.put("Cache-Control", said);
          seconds.addAndGet(4_000);
          int before = asked.size();
          assertThat(name()).isEqualTo("An app");
          seconds.addAndGet(lasts - 1);
          assertThat(name()).isEqualTo("An app");
          assertThat(asked).as(said).hasSize(before + 1);
          seconds.addAndGet(1);
          assertThat(name()).isEqualTo("An app");
          assertThat(asked).as(said).hasSize(before + 2);
        });
  }

  @Test
  void a_document_of_another_id_or_of_a_client_with_a_secret_is_refused() {
    assertThatItIsRefused(document("https://app.example/other.json"));
    assertThatItIsRefused(document("https://app.example/client.json/"));
    assertThatItIsRefused(document(ID).putNull("client_id"));
    assertThatItIsRefused(document(ID).put("client_id", new JsonArray().add(ID)));
    for (String method :
        List.of(
            "client_secret_basic",
            "client_secret_post",
            "client_secret_jwt",
            "private_key_jwt",
            "tls_client_auth")) {
      assertThatItIsRefused(document(ID).put("token_endpoint_auth_method", method));
    }
    assertThatItIsRefused(document(ID).put("client_secret", "x"));
    assertThatItIsRefused(document(ID).putNull("client_name"));
    assertThatItIsRefused(new JsonObject());
    publish(document(ID).put("redirect_uris", new JsonArray().add("javascript:alert(1)")));
    seconds.addAndGet(4_000);
    assertThat(refusal(ID).code()).isEqualTo("invalid_redirect_uri");
    publish(document(ID).put("token_endpoint_auth_method", "none"));
    seconds.addAndGet(4_000);
    assertThat(name()).isEqualTo("An app");
  }

  @Test
  void no_redirect_is_followed_and_nothing_too_large_or_broken_is_read() {
    publish(document(ID));
    headers.put("Location", "/elsewhere.json");
    documents.put("https://app.example/elsewhere.json", document(ID).encode());
    for (int redirect : List.of(301, 302, 303, 307, 308)) {
      status = redirect;
      seconds.addAndGet(4_000);
      assertThat(refusal(ID).status()).isEqualTo(401);
    }
    for (int other : List.of(201, 404, 500)) {
      status = other;
      seconds.addAndGet(4_000);
      assertThat(refusal(ID).status()).isEqualTo(401);
    }
    assertThat(asked).containsOnly("/client.json");
    status = 200;
    assertThatItIsRefused(document(ID).put("padding", "x".repeat(300_000)));
    for (String broken : List.of("", "[]", "null", "\"x\"", "{\"client_id\":", "<html>")) {
      documents.put(ID, broken);
      seconds.addAndGet(4_000);
      assertThat(refusal(ID).status()).as(broken).isEqualTo(401);
    }
  }

  @Test
  void a_failure_is_kept_for_a_quarter_of_a_minute_and_a_document_that_is_gone_ends() {
    assertThat(refusal(ID).status()).isEqualTo(401);
    publish(document(ID));
    seconds.set(14);
    refusal(ID);
    assertThat(asked).hasSize(1);
    seconds.set(15);
    assertThat(name()).isEqualTo("An app");
    documents.clear();
    seconds.addAndGet(600);
    refusal(ID);
  }

  private static Reply reply(String id) {
    return new Reply(200, document(id), MultiMap.caseInsensitiveMultiMap(), id);
  }

  @Test
  void what_is_kept_and_what_is_read_at_a_time_has_a_bound() {
    List<String> fetched = new ArrayList<>();
    clients =
        of(
            id -> {
              fetched.add(id);
              return Future.succeededFuture(reply(id));
            });
    for (int i = 0; i <= 1_000; i++) {
      TestBus.await(find(ID + "?" + i));
    }
    TestBus.await(find(ID + "?1000"));
    assertThat(fetched).hasSize(1_001);
    TestBus.await(find(ID + "?0"));
    assertThat(fetched).as("the first made room").hasSize(1_002);

    List<Promise<Reply>> slow = new ArrayList<>();
    clients =
        of(
            id -> {
              slow.add(Promise.promise());
              return slow.get(slow.size() - 1).future();
            });
    List<Future<SignInClient>> waiting = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      waiting.add(find(ID + "?" + i));
      waiting.add(find(ID + "?" + i));
    }
    assertThat(refusal(ID + "?16").status()).isEqualTo(503);
    assertThat(slow).as("two ask for one document, and it is read once").hasSize(16);
    context.runOnContext(now -> slow.get(0).complete(reply(ID + "?0")));
    assertThat(TestBus.await(waiting.get(0))).isSameAs(TestBus.await(waiting.get(1)));
    find(ID + "?16");
    Promise<Integer> count = Promise.promise();
    context.runOnContext(now -> count.complete(slow.size()));
    assertThat(TestBus.await(count.future())).isEqualTo(17);
  }

  /** The address that was checked is the one that is asked, whatever the name means afterwards. */
  @Test
  void a_name_that_means_another_address_the_second_time_leads_nowhere_else() throws Exception {
    AtomicInteger inside = new AtomicInteger();
    HttpServer other =
        vertx
            .createHttpServer()
            .requestHandler(
                request -> {
                  inside.incrementAndGet();
                  request.response().end("{}");
                })
            .listen(server.actualPort(), "127.0.0.2")
            .await();
    List<InetAddress> answers =
        new ArrayList<>(
            List.of(
                InetAddress.getByAddress(new byte[] {127, 0, 0, 1}),
                InetAddress.getByAddress(new byte[] {127, 0, 0, 2})));
    String own = "http://localhost:" + server.actualPort();
    GuardedHttp http = new GuardedHttp(vertx, GuardedHttp.TIMEOUT, null);
    UrlGuard guard =
        new UrlGuard(
            List.of(URI.create(own)), host -> Future.succeededFuture(List.of(answers.remove(0))));
    publish(document(ID));
    Reply reply = TestBus.await(http.once(guard, own + "/client.json", "the document"));
    assertThat(reply.body()).isEqualTo(document(ID));
    assertThat(answers).as("one look-up for one request").hasSize(1);
    assertThat(inside).hasValue(0);
    other.close().await();
  }

  @Test
  void a_program_with_a_document_signs_in_without_a_registration() {
    publish(document(ID));
    try (SignInBed bed = new SignInBed(vertx)) {
      bed.leadsTo("http://127.0.0.1:" + bed.serve(bed.signIn(), published()));
      HttpResponse<String> consent = bed.browser.open(bed.authorize(ID));
      assertThat(consent.body()).contains("An app", "It is described by", "app.example");
      String code = LoginBrowser.field(bed.browser.login(bed.base(), bed.authorize(ID)), "code");
      JsonObject tokens = new JsonObject(bed.token(bed.redemption(ID, code)).body());
      assertThat(bed.call("/mcp", tokens.getString("access_token")).statusCode()).isNotEqualTo(401);
      assertThat(bed.renew(ID, tokens.getString("refresh_token")).statusCode()).isEqualTo(200);
      assertThat(bed.renew(ID + "x", tokens.getString("refresh_token")).statusCode())
          .isEqualTo(400);
      assertThat(asked).hasSize(1);

      Map<String, String> elsewhere = bed.request(ID);
      elsewhere.put("redirect_uri", "https://evil.example/cb");
      assertThat(bed.browser.open(bed.authorize(elsewhere)).statusCode()).isEqualTo(400);
      // The document takes a place back; the login page follows it when its time is over.
      publish(
          document(ID).put("redirect_uris", new JsonArray().add("https://app.example/callback")));
      bed.wait(Duration.ofSeconds(601));
      assertThat(bed.browser.open(bed.authorize(ID)).statusCode()).isEqualTo(400);
    }
  }
}
