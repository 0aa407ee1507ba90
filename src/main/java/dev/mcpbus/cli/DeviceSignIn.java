package dev.mcpbus.cli;

import dev.mcpbus.protocol.LoopbackHosts;
import dev.mcpbus.security.MountPath;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.function.Consumer;

/**
 * A person signs in at mcpbus for the commands, by the device flow (RFC 8628): in a browser on any
 * machine. mcpbus is the authorization server of its own origin; no other is asked. For the main
 * thread.
 *
 * @param client of the origin, without a key
 * @param shows gets the page to open
 * @param pause waits between two polls
 */
record DeviceSignIn(
    ServiceClient client,
    Consumer<DevicePage> shows,
    Consumer<Duration> pause,
    InstantSource clock) {

  private static final String GRANT = "urn:ietf:params:oauth:grant-type:device_code";
  private static final String COMPLETE = "verification_uri_complete";

  private static final Duration LIFETIME = Duration.ofMinutes(10);
  private static final Duration INTERVAL = Duration.ofSeconds(5);
  private static final Duration SLOWEST = Duration.ofMinutes(1);

  /**
   * Where the person allows it.
   *
   * @param code that the page shows, too
   */
  record DevicePage(String url, String code, Instant until) {}

  /**
   * Waits until the person has decided.
   *
   * @return tokens that are good for all of mcpbus
   * @throws CommandFailure where there is no sign-in, the person says no, or the time is over
   */
  KeptTokens run() {
    String origin = client.url().toString();
    if (origin.startsWith("http:") && !LoopbackHosts.contains(client.url().getHost())) {
      throw CommandFailure.usage(
          "over plain http the network would see the tokens of a login; name the https URL of "
              + origin);
    }
    JsonObject metadata = metadata(origin);
    String id = registered(path(metadata, "registration_endpoint"));
    JsonObject device =
        client.form(
            path(metadata, "device_authorization_endpoint"),
            Map.of("client_id", id, "resource", origin));
    Instant until =
        clock
            .instant()
            .truncatedTo(ChronoUnit.SECONDS)
            .plus(seconds(device, "expires_in", LIFETIME));
    String page = path(device, device.containsKey(COMPLETE) ? COMPLETE : "verification_uri");
    shows.accept(new DevicePage(origin + page, ContentText.text(device, "user_code"), until));
    String endpoint = path(metadata, "token_endpoint");
    JsonObject answer = polled(endpoint, id, device, until);
    String revocation = path(metadata, "revocation_endpoint");
    KeptTokens tokens = KeptTokens.of(id, endpoint, revocation, "", answer, clock.instant());
    if (tokens == null) {
      throw unlike("gives no token that can be renewed");
    }
    return tokens;
  }

  private JsonObject metadata(String origin) {
    JsonObject resource;
    try {
      resource = client.get(MountPath.PROTECTED_RESOURCE.root());
    } catch (CommandFailure e) {
      if (e.exit() == ExitCode.NOT_FOUND || e.exit() == ExitCode.NOT_ALLOWED) {
        throw noSignIn(origin + " has no sign-in for persons");
      }
      throw e;
    }
    JsonArray servers = ContentText.array(resource, "authorization_servers");
    if (!servers.contains(origin)) {
      String itself = ContentText.text(resource, "resource") + "/";
      throw servers.stream()
          .map(String::valueOf)
          .filter(server -> itself.startsWith(server + "/"))
          .findFirst()
          .map(
              server ->
                  CommandFailure.usage(
                      "the mcpbus at "
                          + origin
                          + " calls itself "
                          + server
                          + ": log in there with \"mcpbus login --url "
                          + server
                          + "\""))
          .orElseGet(() -> noSignIn(origin + " has no sign-in of its own for persons"));
    }
    JsonObject metadata = client.get(MountPath.AUTHORIZATION_SERVER.root());
    if (!origin.equals(metadata.getValue("issuer"))) {
      throw unlike("names another issuer than itself");
    }
    return metadata;
  }

  private static CommandFailure noSignIn(String what) {
    return new CommandFailure(
        ExitCode.NOT_FOUND,
        "NO_SIGN_IN",
        "the mcpbus at " + what + "; give a key with --key-file or " + ServiceFinder.KEY_VARIABLE);
  }

  private CommandFailure unlike(String what) {
    return new CommandFailure(
        ExitCode.UNREACHABLE,
        "NOT_MCPBUS",
        client.url() + " " + what + ", so it is no mcpbus; check the URL");
  }

  /** The path of a URL that has to be one of this origin. */
  private String path(JsonObject document, String member) {
    String origin = client.url().toString();
    String url = ContentText.text(document, member);
    if (url.isEmpty()) {
      throw noSignIn(origin + " has no " + member + ", which the login needs");
    }
    if (!url.startsWith(origin + "/")) {
      throw unlike("names a " + member + " of another origin");
    }
    return url.substring(origin.length());
  }

  private static Duration seconds(JsonObject of, String member, Duration otherwise) {
    return of.getValue(member) instanceof Number some
        ? Duration.ofSeconds(Math.max(1, Math.min(some.longValue(), LIFETIME.toSeconds())))
        : otherwise;
  }

  /** Registers this command as a program without a secret (RFC 7591): each login is a new one. */
  private String registered(String path) {
    JsonObject program =
        new JsonObject()
            .put("client_name", "mcpbus command line")
            .put("redirect_uris", new JsonArray())
            .put("response_types", new JsonArray())
            .put("grant_types", new JsonArray().add(GRANT).add("refresh_token"))
            .put("token_endpoint_auth_method", "none");
    return ContentText.text(client.post(path, program), "client_id");
  }

  private JsonObject polled(String path, String id, JsonObject device, Instant until) {
    String code = ContentText.text(device, "device_code");
    Map<String, String> form = Map.of("grant_type", GRANT, "client_id", id, "device_code", code);
    Duration wait = seconds(device, "interval", INTERVAL);
    while (clock.instant().isBefore(until)) {
      pause.accept(wait);
      try {
        return client.form(path, form);
      } catch (CommandFailure e) {
        wait = next(wait, e);
      }
    }
    throw over();
  }

  /** How long to wait after an answer without tokens (RFC 8628, section 3.5). */
  private static Duration next(Duration wait, CommandFailure answer) {
    return switch (answer.code()) {
      case "authorization_pending" -> wait;
      case "slow_down" -> wait.plus(INTERVAL);
      case "access_denied" ->
          throw new CommandFailure(
              ExitCode.NOT_ALLOWED,
              "LOGIN_REFUSED",
              "the login was refused: " + answer.getMessage());
      case "expired_token" -> throw over();
      default -> {
        if (answer.exit() != ExitCode.UNREACHABLE || answer.code().equals("NOT_MCPBUS")) {
          throw answer;
        }
        Duration twice = wait.multipliedBy(2);
        yield twice.compareTo(SLOWEST) < 0 ? twice : SLOWEST;
      }
    };
  }

  private static CommandFailure over() {
    return new CommandFailure(
        ExitCode.NOT_ALLOWED, "LOGIN_TIMEOUT", "nobody has allowed the login in time; try again");
  }
}
