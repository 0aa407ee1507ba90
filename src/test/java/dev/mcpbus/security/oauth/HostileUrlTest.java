package dev.mcpbus.security.oauth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.internals.HttpConnections;
import dev.mcpbus.protocol.OAuthGrant;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.oauth.OAuthException.OAuthFailure;
import dev.mcpbus.testing.OAuthWorld;
import dev.mcpbus.testing.RawHttpServer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Fault 110: URLs that a server names to reach what it must not. No packet leaves for them. */
class HostileUrlTest extends OAuthFixture {

  private static UrlGuard guard() {
    return new UrlGuard(
        List.of(URI.create("https://mcp.example/mcp")),
        host -> {
          throw new AssertionError("looked up " + host);
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "javascript:alert(1)",
        "file:///etc/passwd",
        "data:text/plain,x",
        "ftp://auth.example/x",
        "http://auth.example/x",
        "http://127.0.0.1/x",
        "http://localhost/x",
        "https://2130706433/x",
        "https://0x7f000001/x",
        "https://0x7f.1/x",
        "https://017700000001/x",
        "https://0177.0.0.1/x",
        "https://127.1/x",
        "https://127.0.0.1./x",
        "https://user:pw@auth.example/x",
        "https://auth.example@evil.example/x",
        "https://auth.example/x#fragment",
        "https://auth.example:99999/x",
        "https://my_auth:99999/x",
        "https://user:pw@my_auth/x",
        "https:///x",
        "//auth.example/x",
        "https://auth.example/a b"
      })
  void fault_110_a_url_of_a_bad_form_is_refused_before_any_lookup(String url) {
    Future<?> checked = guard().check(url, "it", false);
    assertThat(checked.cause()).isInstanceOf(OAuthException.class);
    assertThat(((OAuthException) checked.cause()).reason()).isEqualTo(OAuthFailure.REFUSED_URL);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "127.0.0.2",
        "0.0.0.0",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "192.0.0.1",
        "198.18.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1",
        "fc00::1",
        "fd12::1",
        "ff02::1",
        "::ffff:10.0.0.1",
        "::127.0.0.1",
        "64:ff9b::a9fe:a9fe",
        "2002:7f00:1::1"
      })
  void fault_110_a_name_with_an_address_inside_is_refused(String address) throws Exception {
    InetAddress inside = InetAddress.getByName(address);
    assertThat(PublicAddressRule.isPublic(inside)).isFalse();
    InetAddress outside = InetAddress.getByAddress(new byte[] {8, 8, 4, 4});
    UrlGuard guard =
        new UrlGuard(List.of(), host -> Future.succeededFuture(List.of(outside, inside)));
    Future<?> checked = guard.check("https://auth.example/x", "it", false);
    assertThat(((OAuthException) checked.cause()).reason()).isEqualTo(OAuthFailure.REFUSED_URL);
  }

  @Test
  void public_addresses_and_the_operators_own_hosts_are_fine() throws Exception {
    for (String address : List.of("8.8.4.4", "172.32.0.1", "2606:4700::1111", "2002:808:404::1")) {
      assertThat(PublicAddressRule.isPublic(InetAddress.getByName(address))).as(address).isTrue();
    }
    InetAddress inside = InetAddress.getByName("10.0.0.1");
    UrlGuard guard =
        new UrlGuard(
            List.of(URI.create("https://mcp.corp.example/mcp"), URI.create("https://my_as:8443")),
            host -> Future.succeededFuture(List.of(inside)));
    assertThat(guard.check("https://My_as/x", "it", false).result().addresses())
        .containsExactly(inside);
    assertThat(guard.check("https://my_other/x", "it", false).cause())
        .hasMessageContaining("not public");
    assertThat(guard.check("https://MCP.corp.example/x", "it", false).result().addresses())
        .containsExactly(inside);
    assertThat(guard.check("https://other.corp.example/x", "it", false).failed()).isTrue();
    assertThatThrownBy(() -> guard.form("http://mcp.corp.example/x", "it"))
        .hasMessageContaining("not https");
  }

  /** A proxy looks names up itself: what is known here is judged here, inner names are refused. */
  @ParameterizedTest
  @CsvSource({
    "https://MCP.corp.example/x, true",
    "https://login.partner.example/x, true",
    "https://known.example/x, true",
    "https://inside.example/x, false",
    "https://10.0.0.1/x, false",
    "https://jira/x, false",
    "https://jira.corp/x, false",
    "https://jira.home.arpa/x, false",
    "https://metadata.google.internal/x, false",
    "https://printer.local/x, false",
    "http://login.partner.example/x, false",
  })
  void a_proxy_opens_no_way_to_an_inner_network(String url, boolean allowed) {
    Map<String, String> known =
        Map.of("known.example", "8.8.4.4", "inside.example", "10.0.0.1", "10.0.0.1", "10.0.0.1");
    UrlGuard guard =
        new UrlGuard(
            List.of(URI.create("https://mcp.corp.example/mcp")),
            host -> {
              InetAddress found = HttpConnections.address(known.getOrDefault(host, ""));
              return found == null
                  ? Future.failedFuture("unknown")
                  : Future.succeededFuture(List.of(found));
            });
    assertThat(guard.check(url, "it", true).succeeded()).isEqualTo(allowed);
  }

  @Test
  void tokens_are_fetched_through_the_proxy_of_the_entry() {
    try (RawHttpServer proxy =
        RawHttpServer.answering((request, peer) -> peer.reply("407 No", ""))) {
      GuardedHttp http =
          new GuardedHttp(
              vertx,
              Duration.ofSeconds(5),
              Sensitive.of("http://ada:canary@127.0.0.1:" + proxy.port()));
      UrlGuard guard =
          new UrlGuard(
              List.of(URI.create("https://idp.example/")), host -> Future.failedFuture("unknown"));
      assertThatThrownBy(() -> TestBus.await(http.get(guard, "https://idp.example/x", "it")))
          .rootCause()
          .hasMessageContaining("through the proxy http://127.0.0.1:" + proxy.port())
          .hasMessageContaining("407")
          .hasMessageNotContaining("canary");
      assertThat(proxy.requests().get(0).method()).isEqualTo("CONNECT");
      assertThat(proxy.requests().get(0).path()).isEqualTo("idp.example:443");
      assertThat(proxy.requests().get(0).headers()).containsKey("proxy-authorization");
    }
  }

  @Test
  void fault_110_a_server_on_another_loopback_address_receives_nothing() throws Exception {
    AtomicInteger connections = new AtomicInteger();
    HttpServer sink =
        vertx
            .createHttpServer()
            .connectionHandler(connection -> connections.incrementAndGet())
            .requestHandler(request -> request.response().end("{}"))
            .listen(0, "127.0.0.2")
            .await();
    hosts.put("meta.evil.example", "127.0.0.2");
    int port = sink.actualPort();
    for (String url :
        List.of(
            "http://127.0.0.2:" + port + "/",
            "https://127.0.0.2:" + port + "/",
            "https://meta.evil.example:" + port + "/",
            "http://meta.evil.example:" + port + "/",
            "https://2130706434:" + port + "/",
            "https://0x7f000002:" + port + "/")) {
      world.challenge = "Bearer resource_metadata=\"" + url + "\"";
      JsonObject document = world.documents.remove(OAuthDiscoveryTest.PATHED);
      assertThat(refused(client()).reason()).as(url).isEqualTo(OAuthFailure.REFUSED_URL);
      world.documents.put(OAuthDiscoveryTest.PATHED, document);
      world.challenge = "Bearer";
      world.resource(json("authorization_servers", list(url)));
      assertThat(refused(client()).reason()).as(url).isEqualTo(OAuthFailure.REFUSED_URL);
      world.resource(json("authorization_servers", list(world.issuer())));
      world.metadata(json("registration_endpoint", url));
      assertThat(refused(client()).reason()).as(url).isEqualTo(OAuthFailure.REFUSED_URL);
      world.metadata(json("token_endpoint", url));
      assertThat(refused(client()).reason()).as(url).isEqualTo(OAuthFailure.REFUSED_URL);
    }
    assertThat(connections).hasValue(0);
    sink.close().await();
  }

  @Test
  void fault_110_a_redirect_leads_to_no_other_origin_and_no_form_follows_one() throws Exception {
    String metadata = "/.well-known/oauth-authorization-server/as";
    int port = world.url().getPort();
    try (OAuthWorld other = new OAuthWorld(vertx)) {
      other.documents.put("/target", world.metadata());
      for (String place :
          List.of(
              other.base() + "/target",
              "http://localhost:" + port + "/target",
              "https://127.0.0.1:" + port + "/target",
              "//127.0.0.2:" + port + "/target",
              "http://127.0.0.1:" + port + "@127.0.0.2/target",
              "file:///target",
              "::")) {
        world.redirects.put(metadata, place);
        assertThat(refused(client())).as(place).hasMessageContaining("no metadata");
      }
      world.redirects.put(metadata, metadata);
      assertThat(refused(client())).hasMessageContaining("no metadata");
      world.redirects.clear();
      world.redirects.put("/token", world.base() + "/elsewhere");
      assertThat(refused(client()).reason()).isEqualTo(OAuthFailure.DENIED);
      assertThat(other.seen()).isEmpty();
      assertThat(world.seen("/target")).isEmpty();
      assertThat(world.seen("/elsewhere")).isEmpty();
    }
  }

  @Test
  void a_document_over_the_bound_and_a_silent_server_fail() throws Exception {
    world.documents.put("/big", json("x", "y".repeat(GuardedHttp.MAX_BODY)));
    world.challenge = "Bearer resource_metadata=\"" + world.base() + "/big\"";
    JsonObject document = world.documents.remove(OAuthDiscoveryTest.PATHED);
    assertThat(refused(client())).hasMessageContaining("256 KiB");
    world.documents.put(OAuthDiscoveryTest.PATHED, document);
    world.challenge = "Bearer";
    world.holdTokens = true;
    OAuthException why = refused(client(settings(OAuthGrant.CLIENT_CREDENTIALS)));
    assertThat(why.reason()).isEqualTo(OAuthFailure.UNREACHABLE);
    assertThat(why).hasMessageContaining("no answer in time");
  }
}
