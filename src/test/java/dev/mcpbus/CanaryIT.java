package dev.mcpbus;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.cli.AdminTokenPublisher;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigReport;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.read.ConfigReader;
import dev.mcpbus.observability.RpcLog;
import dev.mcpbus.testing.Http;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * A secret in every place of a configuration that can hold one, servers that fail in every way and
 * quote what they were given, and none of the secrets in anything that leaves mcpbus.
 */
class CanaryIT {

  private static final String TOOL = "any";

  @TempDir Path directory;

  private final Vertx vertx = Vertx.vertx();
  private final List<String> canaries = new ArrayList<>();
  private final Map<String, String> variables = new LinkedHashMap<>();
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();
  private HttpServer quoting;

  @BeforeEach
  void start() {
    Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    logged.start();
    root.addAppender(logged);
    ((Logger) LoggerFactory.getLogger("dev.mcpbus")).setLevel(Level.DEBUG);
    quoting =
        TestBus.await(
            vertx.createHttpServer().requestHandler(CanaryIT::quote).listen(0, "127.0.0.1"));
    // The JDK takes a second for its first TLS, on whichever thread: here none is watched.
    TestBus.await(
        vertx
            .createHttpClient(new HttpClientOptions().setSsl(true))
            .request(HttpMethod.GET, quoting.actualPort(), "127.0.0.1", "/")
            .otherwiseEmpty());
  }

  @AfterEach
  void end() {
    ((Logger) LoggerFactory.getLogger("dev.mcpbus")).setLevel(null);
    ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).detachAppender(logged);
    TestBus.await(vertx.close());
  }

  /** Tells whoever asks all that it was sent, in every place where a server can say something. */
  private static void quote(HttpServerRequest request) {
    request.body();
    StringBuilder all = new StringBuilder(request.uri());
    request.headers().forEach(header -> all.append(' ').append(header.getValue()));
    String path = request.path();
    if (path.contains("/moved")) {
      request.response().setStatusCode(302).putHeader("Location", request.uri() + "/there").end();
      return;
    }
    JsonObject error =
        new JsonObject()
            .put("jsonrpc", "2.0")
            .put("id", (Object) null)
            .put(
                "error",
                new JsonObject().put("code", -32000).put("message", "no: " + all).put("data", all));
    int status = path.contains("/denied") ? 401 : path.contains("/forbidden") ? 403 : 500;
    request
        .response()
        .setStatusCode(path.contains("/text") ? 200 : status)
        .putHeader("WWW-Authenticate", "Bearer realm=\"" + request.uri() + "\"")
        .putHeader(
            "Content-Type",
            path.contains("/text")
                ? "text/" + request.path().replace('/', '-')
                : "application/json")
        .end(error.encode());
  }

  /** A fresh secret, told apart by its number. */
  private String canary() {
    String one = "cnry" + (4711 + canaries.size()) + "z";
    canaries.add(one);
    return one;
  }

  /** A fresh secret that a variable holds. */
  private String variable() {
    String name = "V" + canaries.size();
    variables.put(name, canary());
    return "${" + name + "}";
  }

  /** A program that says all that it was given on stderr, in several forms, and ends. */
  private JsonObject telling(List<String> args) throws IOException {
    Path envFile = directory.resolve("e" + canaries.size() + ".env");
    Files.writeString(envFile, "FROM_FILE=" + canary() + "\nQUOTED=\"" + canary() + "\"\n");
    String spelled = canary();
    JsonArray all =
        new JsonArray()
            .add("-c")
            .add(
                "echo \"$@\" >&2; env | tee /dev/stderr | base64 >&2; echo \"bad option $*\" >&2;"
                    + " printf '%s\\n' '"
                    + ascii(spelled)
                    + "' >&2; exit 3")
            .add("sh");
    args.forEach(all::add);
    return new JsonObject()
        .put("command", "/bin/sh")
        .put("args", all)
        .put("envFile", envFile.toString())
        .put(
            "env",
            new JsonObject().put("A", canary()).put("B", variable()).put("SPELLED", spelled));
  }

  /** As JSON of ASCII, within JSON, and percent-encoded. */
  private static String ascii(String secret) {
    StringBuilder json = new StringBuilder();
    StringBuilder percent = new StringBuilder();
    secret
        .chars()
        .forEach(
            c -> {
              json.append(String.format("\\u%04x", c));
              percent.append(String.format("%%%02x", c));
            });
    return "{\"spelled\":\""
        + json
        + "\",\"in\":\"{\\\"a\\\":\\\""
        + json.toString().replace("\\", "\\\\")
        + "\\\"}\"} spelled?"
        + percent;
  }

  /** The text in which each escape is what it stands for. */
  private static String read(String text) {
    return Pattern.compile("(?:\\\\+u00|%)([0-9a-fA-F]{2})")
        .matcher(text)
        .replaceAll(
            hex ->
                Matcher.quoteReplacement(Character.toString(Integer.parseInt(hex.group(1), 16))));
  }

  private JsonObject servers() throws IOException {
    String base = "http://127.0.0.1:" + quoting.actualPort();
    JsonObject servers = new JsonObject();
    List<String> args =
        List.of(
            "-p",
            canary(),
            "--otp",
            canary(),
            "--api-key=" + canary(),
            "-H",
            "Authorization: Bearer " + canary(),
            "--header",
            "X-Key: " + canary(),
            "-p" + canary(),
            "--password",
            canary(),
            "--dsn=postgres://u:" + canary() + "@h/db",
            "https://u:" + canary() + "@h/p?q=" + canary(),
            "TOKEN=" + canary(),
            variable(),
            "--x=" + variable(),
            "--pin",
            canary(),
            canary());
    servers.put("tells", telling(args));
    servers.put(
        "absent",
        new JsonObject()
            .put("command", "/none/" + variable())
            .put("args", new JsonArray(args))
            .put("cwd", directory.toString()));
    servers.put(
        "nowhere", new JsonObject().put("command", "/bin/true").put("cwd", "/none/" + variable()));
    for (String way : List.of("denied", "forbidden", "failing", "moved", "text")) {
      servers.put(
          way,
          new JsonObject()
              .put("url", base + "/" + way + "/" + variable() + "/mcp?key=" + canary())
              .put(
                  "headers",
                  new JsonObject()
                      .put("Authorization", "Bearer " + canary())
                      .put("X-Api-Key", variable()))
              .put("rpcLog", "on"));
    }
    servers.put(
        "user",
        new JsonObject().put("url", base.replace("//", "//ada:" + canary() + "@") + "/failing"));
    servers.put(
        "old",
        new JsonObject().put("type", "sse").put("url", base + "/failing/" + variable() + "/sse"));
    servers.put(
        "refused",
        new JsonObject()
            .put("url", "http://127.0.0.1:1/" + variable() + "/mcp?k=" + canary())
            .put("headers", new JsonObject().put("Authorization", "Basic " + canary())));
    servers.put(
        "tls",
        new JsonObject()
            .put("url", base.replace("http:", "https:") + "/" + variable() + "?k=" + canary()));
    servers.put(
        "helped",
        new JsonObject()
            .put("url", base + "/denied/h")
            .put("headersHelper", "echo " + canary() + " " + variable() + " >&2; exit 1"));
    servers.put(
        "oauth",
        new JsonObject()
            .put("url", base + "/denied/o/" + variable())
            .put(
                "oauth",
                new JsonObject()
                    .put("grant", "client_credentials")
                    .put("clientId", "me")
                    .put("clientSecret", canary())
                    .put("issuer", base + "/failing")));
    servers.put("bus", new JsonObject().put("address", "nobody." + variable()));
    servers.put(
        "wrong",
        new JsonObject()
            .put("command", "x")
            .put("timeout", variable())
            .put("envFile", "/none/" + variable()));
    return servers;
  }

  @Tag("long")
  @Test
  void no_secret_leaves_by_any_log_answer_event_or_report() throws IOException {
    JsonObject servers = servers();
    Path file =
        Files.writeString(
            directory.resolve("mcp.json"),
            new JsonObject().put("mcpServers", servers).encodePrettily());
    ConfigEnvironment environment =
        new ConfigEnvironment(variables, id -> Optional.empty(), directory, "/java", "/mcpbus.jar");
    ConfigResult result = ConfigReader.read(file, environment);
    assertThat(result.problems()).isNotEmpty();
    List<ServerDefinition> definitions = result.usable().orElseThrow().servers();
    assertThat(definitions).hasSize(servers.size() - 1);

    StringBuilder told = new StringBuilder(ConfigReport.render(result.problems()));
    definitions.forEach(
        definition ->
            told.append(definition)
                .append(definition.transport())
                .append(definition.redactor())
                .append(definition.view().encodePrettily()));
    ByteArrayOutputStream report = new ByteArrayOutputStream();
    try (TestBus bus = TestBus.startDefined(definitions)) {
      for (ServerDefinition definition : definitions) {
        String id = definition.id().value();
        Awaitility.await(id + " to fail")
            .until(() -> bus.status(id).getJsonObject("lastError") != null);
        try {
          told.append(bus.callTool(id, TOOL, new JsonObject()));
        } catch (McpFailure failure) {
          told.append(failure.getMessage()).append(failure.data());
        }
        told.append(bus.status(id).encodePrettily());
        for (String path : List.of("", "/tools", "/resources", "/prompts", "/drift")) {
          told.append(Http.get(bus.port(), "/api/servers/" + id + path).body());
        }
        told.append(Http.post(bus.port(), "/api/servers/" + id + "/tools/" + TOOL, "{}").body());
      }
      for (String path :
          List.of(
              "/api/servers",
              "/api/tools",
              "/api/resources",
              "/api/prompts",
              "/api/inputs",
              "/api/nodes",
              "/openapi.json",
              "/api/openapi.json",
              "/health/ready",
              "/metrics")) {
        told.append(Http.get(bus.port(), path).body());
      }
      told.append(bus.<JsonObject>request(Addresses.SERVERS_LIST, new JsonObject()));
      new StartReport(
              bus.vertx(),
              result.usable().orElseThrow(),
              new PrintStream(report, true, StandardCharsets.UTF_8))
          .print(bus.bus().port(), new AdminTokenPublisher(null, 0, Map.of()));
      Awaitility.await()
          .until(() -> report.toString(StandardCharsets.UTF_8).contains("CONNECTION"));
      told.append(report.toString(StandardCharsets.UTF_8)).append(bus.events());
    }
    List.copyOf(logged.list)
        .forEach(
            event -> {
              told.append(event.getLoggerName()).append(event.getFormattedMessage());
              if (event.getThrowableProxy() != null) {
                told.append(ThrowableProxyUtil.asString(event.getThrowableProxy()));
              }
              told.append('\n');
            });

    // That there was something to hide in.
    assertThat(told).contains("exit code 3", "bad option", "START_FAILED", "AUTH_REQUIRED");
    assertThat(told).contains("redirects", "TLS", "refused", "***", "spelled?***");
    assertThat(logged.list).anyMatch(event -> event.getLoggerName().equals(RpcLog.LOGGER));
    TreeSet<String> out = new TreeSet<>();
    told.toString()
        .lines()
        .forEach(
            line ->
                canaries.stream()
                    .filter(canary -> line.contains(canary) || read(line).contains(canary))
                    .forEach(canary -> out.add(canary + " in: " + line)));
    assertThat(out)
        .as("of %s secrets, told in %s characters", canaries.size(), told.length())
        .isEmpty();
  }
}
