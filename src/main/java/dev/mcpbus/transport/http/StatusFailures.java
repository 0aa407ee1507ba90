package dev.mcpbus.transport.http;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.HeaderValue;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.transport.TransportException;
import dev.mcpbus.transport.TransportException.Reached;
import dev.mcpbus.transport.TransportException.Reason;
import io.vertx.core.http.HttpClientResponse;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Maps an unsuccessful HTTP status to the failure of the request. Stateless. */
final class StatusFailures {

  /** The parameters of a challenge that name where and how to get credentials; none is a secret. */
  private static final Pattern CHALLENGE =
      Pattern.compile(
          "\\b(realm|resource_metadata|scope|error)=(\"[^\"]{0,500}\"|[^\\s,\"]{1,500})",
          Pattern.CASE_INSENSITIVE);

  /** For a status, or a body, that an MCP endpoint does not give. */
  static final String ENDPOINT =
      ": is this the URL of the MCP endpoint? Its path is often /mcp or /sse";

  private static final String CREDENTIALS =
      ": its credentials are missing, expired or wrong; \"headers\" or \"oauth\" of the entry give"
          + " them";

  private StatusFailures() {}

  /**
   * The failure for a response.
   *
   * @param error a JSON-RPC error in the body without a request id, or null
   */
  static TransportException of(
      HttpClientResponse response,
      HttpEndpoint from,
      @Nullable Envelope error,
      InstantSource clock) {
    int status = response.statusCode();
    String what = "HTTP " + status + " from " + from + HttpFailures.via(from) + textOf(error);
    TransportException why =
        switch (status) {
          case 401 ->
              failure(Reason.AUTH_REQUIRED, Reached.NO, what + challenge(response) + CREDENTIALS);
          case 403 ->
              failure(
                  Reason.FORBIDDEN,
                  Reached.NO,
                  what + challenge(response) + ": the credentials, if any, do not suffice");
          case 404 -> failure(Reason.CONNECT_FAILED, Reached.NO, what + endpoint(error));
          case 405 -> failure(Reason.PROTOCOL_ERROR, Reached.NO, what + endpoint(error));
          case 400, 406, 415 ->
              failure(Reason.PROTOCOL_ERROR, Reached.MAYBE, what + endpoint(error));
          case 407 ->
              failure(
                  from.proxy() == null ? Reason.PROTOCOL_ERROR : Reason.CONNECT_FAILED,
                  Reached.NO,
                  what
                      + (from.proxy() == null ? "" : ": " + HttpFailures.proxyLogin(from.proxy())));
          case 413, 414, 431 -> failure(Reason.LIMIT_EXCEEDED, Reached.NO, what);
          case 429 ->
              new TransportException(
                  Reason.RATE_LIMITED,
                  Reached.NO,
                  what + ": the server limits how often it is called",
                  retryAfter(response, clock),
                  null);
          default ->
              status >= 500
                  ? new TransportException(
                      Reason.UPSTREAM_RESET,
                      Reached.MAYBE,
                      what + (status == 501 ? endpoint(error) : ": see the log of that server"),
                      retryAfter(response, clock),
                      null)
                  : failure(Reason.PROTOCOL_ERROR, Reached.MAYBE, what);
        };
    return why.withHttpStatus(status);
  }

  private static long retryAfter(HttpClientResponse response, InstantSource clock) {
    return HeaderValue.retryAfter(response.getHeader("retry-after"), clock);
  }

  private static String challenge(HttpClientResponse response) {
    String header = response.getHeader("www-authenticate");
    if (header == null) {
      return "";
    }
    List<String> parts = new ArrayList<>();
    Matcher matcher = CHALLENGE.matcher(header);
    while (matcher.find() && parts.size() < 4) {
      parts.add(HttpFailures.clean(matcher.group()));
    }
    return parts.isEmpty() ? "" : " (" + String.join(", ", parts) + ")";
  }

  /** A server that answers with JSON-RPC is an MCP endpoint, and its own words say more. */
  private static String endpoint(@Nullable Envelope error) {
    return error == null ? ENDPOINT : "";
  }

  private static String textOf(@Nullable Envelope error) {
    if (error == null) {
      return "";
    }
    JsonRpcError said = JsonRpcError.of(error.payload());
    return " (" + said.code() + " " + HttpFailures.clean(said.message()) + ")";
  }

  private static TransportException failure(Reason reason, Reached sent, String message) {
    return new TransportException(reason, sent, message);
  }
}
