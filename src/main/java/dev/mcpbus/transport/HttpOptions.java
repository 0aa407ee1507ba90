package dev.mcpbus.transport;

import dev.mcpbus.protocol.OutboundProxy;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.SecretRules;
import dev.mcpbus.protocol.Sensitive;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A server behind Streamable HTTP.
 *
 * @param url the MCP endpoint, {@code http} or {@code https}, or {@code unix:///path.sock#/mcp} for
 *     HTTP over a Unix domain socket
 * @param headers sent with every request
 * @param connectTimeout for the TCP and TLS connection, default 5 s
 * @param listen whether to open the GET stream for messages that the server starts; default true
 * @param maxConnections the maximum number of TCP connections to the server (HTTP/1.1), default 64
 * @param limits bounds of one message
 * @param oauth how to get tokens if the server requires them, null for no OAuth
 * @param headersHelper command that prints further headers as a JSON object, null for none
 * @param tls files for {@code https}; null for Java's trust store and no client certificate
 * @param proxy URL of the proxy, or {@link OutboundProxy#NONE} to connect directly; null for the
 *     proxy that the environment names
 * @param sessionId of a session that the server has already, which the first request names; null
 *     for a new session. The status shows it, as it shows that of every session
 * @param streamHeaders sent with the GET of event streams, beside {@code headers}
 */
public record HttpOptions(
    Sensitive url,
    Map<String, Sensitive> headers,
    Duration connectTimeout,
    boolean listen,
    int maxConnections,
    ParseLimits limits,
    @Nullable OAuthOptions oauth,
    @Nullable Sensitive headersHelper,
    @Nullable TlsOptions tls,
    @Nullable Sensitive proxy,
    @Nullable Sensitive sessionId,
    Map<String, Sensitive> streamHeaders)
    implements TransportOptions {

  public static final String TYPE = "http";

  /** The default of {@code maxConnections}. */
  public static final int CONNECTIONS = 64;

  public HttpOptions {
    headers = Map.copyOf(headers);
    streamHeaders = Map.copyOf(streamHeaders);
  }

  /** Options with the default of every bound. */
  public static HttpOptions of(URI url) {
    return new HttpOptions(
        Sensitive.of(url.toString()),
        Map.of(),
        Duration.ofSeconds(5),
        true,
        CONNECTIONS,
        ParseLimits.DEFAULT,
        null,
        null,
        null,
        null,
        null,
        Map.of());
  }

  @Override
  public String type() {
    return TYPE;
  }

  @Override
  public Collection<Sensitive> secrets() {
    List<Sensitive> secrets = new ArrayList<>(SecretRules.in(headers));
    secrets.addAll(SecretRules.in(streamHeaders));
    if (oauth != null) {
      secrets.addAll(oauth.secrets());
    }
    if (proxy != null) {
      secrets.addAll(Sensitive.all(SecretRules.inUrl(OutboundProxy.withScheme(proxy.reveal()))));
    }
    return secrets;
  }
}
