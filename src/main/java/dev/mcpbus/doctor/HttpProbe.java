package dev.mcpbus.doctor;

import dev.mcpbus.protocol.OutboundProxy;
import dev.mcpbus.transport.TransportException;
import io.vertx.core.net.ProxyType;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Optional;

/**
 * Looks at URLs of one server, without credentials and without following redirects. Blocks for 4 s
 * at most for each request.
 */
final class HttpProbe {

  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final int MAX_BYTES = 64 * 1024;

  /** An MCP server without a session answers it, if only with an error. */
  private static final String PING = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";

  /**
   * An answer.
   *
   * @param type the media type; empty if there is none
   * @param challenge {@code WWW-Authenticate}; empty if there is none
   * @param body the begin; empty for an event stream, which does not end
   */
  record ProbeAnswer(int status, String type, String challenge, String body) {}

  private final HttpClient client;

  private HttpProbe(HttpClient client) {
    this.client = client;
  }

  /** With the trust of the connection to this server. */
  static HttpProbe of(Endpoint endpoint) {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(PATIENCE)
            .proxy(proxy(endpoint));
    if (endpoint.usesTls()) {
      try {
        builder.sslContext(TlsCheck.context(endpoint));
      } catch (GeneralSecurityException | TransportException e) {
        // Java's own trust: a certificate that it does not know gives no answer.
      }
    }
    return new HttpProbe(builder.build());
  }

  /** The proxy of the connection; Java's client knows none with SOCKS. */
  private static ProxySelector proxy(Endpoint endpoint) {
    OutboundProxy proxy = endpoint.proxy(System.getenv());
    return proxy == null || proxy.type() != ProxyType.HTTP
        ? HttpClient.Builder.NO_PROXY
        : ProxySelector.of(new InetSocketAddress(proxy.host(), proxy.port()));
  }

  Optional<ProbeAnswer> ping(URI url) {
    return send(
        HttpRequest.newBuilder(url)
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .POST(HttpRequest.BodyPublishers.ofString(PING)));
  }

  Optional<ProbeAnswer> get(URI url, String accept) {
    return send(HttpRequest.newBuilder(url).header("Accept", accept).GET());
  }

  private Optional<ProbeAnswer> send(HttpRequest.Builder request) {
    try {
      HttpResponse<InputStream> response =
          client.send(request.timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofInputStream());
      String type = response.headers().firstValue("content-type").orElse("");
      try (InputStream body = response.body()) {
        Watchdog.closeAfter(body, PATIENCE.toMillis());
        String text =
            type.startsWith("text/event-stream")
                ? ""
                : new String(body.readNBytes(MAX_BYTES), StandardCharsets.UTF_8);
        return Optional.of(
            new ProbeAnswer(
                response.statusCode(),
                type,
                response.headers().firstValue("www-authenticate").orElse(""),
                text));
      }
    } catch (IOException | IllegalArgumentException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
