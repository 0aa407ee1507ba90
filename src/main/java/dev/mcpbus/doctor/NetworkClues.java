package dev.mcpbus.doctor;

import dev.mcpbus.doctor.FailureClues.Diagnosis;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the cause from the failure of a connection over a network. Blocks: where the answer was no
 * MCP it looks once more at what is there.
 */
record NetworkClues(SeenFailure seen, Endpoint endpoint) {

  private static final Pattern STATUS = Pattern.compile("HTTP (\\d{3})\\b");

  /** An error of JSON-RPC in the body: an MCP endpoint, and it does not want this request. */
  private static final Pattern JSON_ERROR = Pattern.compile("HTTP \\d{3} from \\S+ \\(-?\\d+ ");

  private static final Pattern HTML = Pattern.compile("(?i)HTTP 2\\d\\d with text/html");

  /** Alerts by which a server refuses the certificate of its client, or the lack of one. */
  private static final Pattern OF_CLIENT =
      Pattern.compile("fatal alert: (?:bad_|unsupported_)?certificate\\w*|fatal alert: unknown_ca");

  private static final Pattern REDIRECT = Pattern.compile("redirects to (\\S+?)[:,]?(?:\\s|$)");

  /** Empty where the failure is one of the protocol and not of the network. */
  Optional<Diagnosis> read() {
    return switch (seen.code()) {
      case "AUTH_REQUIRED" -> login(new LoginClues(seen, endpoint).read());
      case "FORBIDDEN" -> login(forbidden());
      case "RATE_LIMITED" ->
          http(
              DoctorCause.RATE_LIMITED,
              "The server has had too many requests from here (HTTP 429)",
              "Wait, and connect less often; a key of one's own often allows more");
      case "TLS_ERROR" -> Optional.of(new Diagnosis("tls", tls()));
      case "CONNECT_FAILED", "HANDSHAKE_FAILED", "HANDSHAKE_TIMEOUT" -> ofAnswer();
      default -> Optional.empty();
    };
  }

  private Optional<Diagnosis> ofAnswer() {
    if (HTML.matcher(seen.message()).find()) {
      return wrongPlace(
          DoctorCause.HTML_PAGE, "The URL leads to a web page (HTML), not to an MCP endpoint");
    }
    Matcher redirect = REDIRECT.matcher(seen.message());
    if (redirect.find()) {
      return http(
          DoctorCause.REDIRECTED,
          "The server sends requests on to "
              + redirect.group(1)
              + ", and mcpbus follows no redirect",
          "Write the URL of that place as \"url\", if it is the server's");
    }
    Matcher status = STATUS.matcher(seen.message());
    boolean answered = status.find();
    if (endpoint.proxy(System.getenv()) != null && (!answered || status.group(1).equals("407"))) {
      return http(
          DoctorCause.PROXY_REFUSED,
          "The proxy makes no connection: " + seen.message(),
          "Correct the proxy, or set \"proxy\": \"none\" in the entry to connect directly");
    }
    if (answered) {
      return ofStatus(Integer.parseInt(status.group(1)));
    }
    if (seen.message().contains("certFile")) {
      return Optional.of(new Diagnosis("tls", clientCertificate()));
    }
    return (endpoint.isHttp() && !endpoint.usesTls()
            ? WireProbe.look(endpoint).map(found -> new Diagnosis("http", found))
            : Optional.<Diagnosis>empty())
        .or(this::broken);
  }

  private Optional<Diagnosis> broken() {
    if (seen.message().contains("not HTTP from")) {
      return http(
          DoctorCause.NOT_HTTP,
          "What listens at " + endpoint.place() + " does not speak HTTP",
          "Correct the port in \"url\"");
    }
    return seen.message().contains("connection broke")
            || seen.message().contains("no connection to")
        ? http(
            DoctorCause.CONNECTION_LOST,
            "The server breaks the connection off in place of an answer",
            "Is it an MCP server, and well? Its log may say more")
        : Optional.empty();
  }

  private Optional<Diagnosis> ofStatus(int status) {
    if (status == 400) {
      Optional<Finding> tls = WireProbe.look(endpoint);
      if (tls.isPresent()) {
        return Optional.of(new Diagnosis("http", tls.get()));
      }
    }
    if (JSON_ERROR.matcher(seen.message()).find()) {
      return Optional.of(
          new Diagnosis(
              "handshake",
              Finding.of(
                  DoctorCause.INITIALIZE_REFUSED,
                  "The server refuses the handshake: " + seen.message(),
                  "It is the server that says so; its documentation or its authors know what it"
                      + " wants")));
    }
    if (status >= 500 && status != 501) {
      return http(
          DoctorCause.SERVER_ERROR,
          "The server fails with HTTP " + status,
          status == 502 || status == 503 || status == 504
              ? "A proxy before the server finds it down or starting: look at the server, try again"
              : "It is the server's own fault: look at its log");
    }
    return wrongPlace(
        DoctorCause.WRONG_PATH,
        "The server answers HTTP "
            + status
            + " to MCP: at "
            + endpoint.path()
            + " is no MCP endpoint");
  }

  private Optional<Diagnosis> wrongPlace(DoctorCause cause, String text) {
    Optional<URI> better = new EndpointSearch(endpoint).find();
    return http(
        cause,
        text,
        better
            .map(url -> "There is one at " + url + ": write that as \"url\"")
            .orElse(
                "Look its path up in the server's documentation: often it is /mcp, or /sse for"
                    + " older servers"));
  }

  private Finding forbidden() {
    return Finding.of(
        DoctorCause.FORBIDDEN,
        "The server does not allow it (HTTP 403)"
            + (seen.sendsCredentials() ? ": the credentials lack a right" : ""),
        seen.message().contains("insufficient_scope")
            ? "Ask for more scopes: \"oauth\": {\"scopes\": [...]}, then mcpbus login " + seen.id()
            : "Check the rights of the key or of the account; some servers refuse unknown hosts"
                + " and origins");
  }

  private Finding tls() {
    return OF_CLIENT.matcher(seen.message()).find()
        ? clientCertificate()
        : Finding.of(
            DoctorCause.TLS_FAILED,
            "The TLS handshake fails: " + seen.message(),
            "Look at it with: openssl s_client -connect " + endpoint.place());
  }

  private Finding clientCertificate() {
    boolean given = endpoint.tlsOptions() != null && endpoint.tlsOptions().certFile() != null;
    if (given) {
      return Finding.of(
          DoctorCause.TLS_CLIENT_CERTIFICATE,
          "The server refuses the certificate of the client",
          "Name another in \"tls\": one that is valid, and of an authority that the server trusts");
    }
    return Finding.of(
        DoctorCause.TLS_CLIENT_CERTIFICATE,
        "The server breaks the TLS connection off: it wants a certificate of the client",
        "Name both files in the entry: \"tls\": {\"certFile\": \"...\", \"keyFile\": \"...\"}");
  }

  private static Optional<Diagnosis> http(DoctorCause cause, String text, String remedy) {
    return Optional.of(new Diagnosis("http", Finding.of(cause, text, remedy)));
  }

  private static Optional<Diagnosis> login(Finding finding) {
    return Optional.of(new Diagnosis("login", finding.with(List.of())));
  }
}
