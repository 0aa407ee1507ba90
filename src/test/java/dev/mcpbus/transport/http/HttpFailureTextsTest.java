package dev.mcpbus.transport.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.Sensitive;
import io.netty.handler.ssl.NotSslRecordException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

/** What a person reads who gave a wrong URL. */
class HttpFailureTextsTest {

  private static final HttpEndpoint HTTP =
      HttpEndpoint.of(Sensitive.of("http://localhost:3000/mcp?key=canary"));
  private static final HttpEndpoint HTTPS =
      HttpEndpoint.of(Sensitive.of("https://localhost:3000/mcp"));

  @Test
  void a_refused_connection_asks_for_the_server_and_its_port() {
    assertThat(HttpFailures.connecting(new ConnectException("Connection refused: /::1:3000"), HTTP))
        .hasMessage(
            "no connection to http://localhost:3000: connection refused; is the server running, and"
                + " on that port?");
  }

  @Test
  void an_unknown_host_names_the_key_to_correct() {
    assertThat(
            HttpFailures.connecting(
                new UnknownHostException("Failed to resolve 'x' [A(1)] after 2 queries"), HTTP))
        .hasMessage(
            "no connection to http://localhost:3000: the name of the host is not known; correct"
                + " \"url\", or check the network");
  }

  @Test
  void https_to_a_server_without_tls_shows_no_bytes_of_it() {
    assertThat(
            HttpFailures.connecting(
                new javax.net.ssl.SSLException(new NotSslRecordException("3c21444f")), HTTPS))
        .hasMessage(
            "TLS with https://localhost:3000: the server answers without TLS; write http:// in place"
                + " of https://");
  }

  @Test
  void a_redirect_shows_where_it_leads_without_the_query() {
    assertThat(HttpFailures.redirected(307, HTTP))
        .hasMessage(
            "HTTP 307 redirects to http://localhost:3000/mcp: mcpbus follows no redirect of a"
                + " request, so write that address in \"url\" if it is the right one");
    assertThat(HttpFailures.redirected(307, null))
        .hasMessage("HTTP 307 redirects to nowhere: correct \"url\"");
  }
}
