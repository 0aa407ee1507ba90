package dev.mcpbus.conformance;

import dev.mcpbus.McpBus;
import dev.mcpbus.TestOptions;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.client.McpServerClient;
import dev.mcpbus.client.ServerSkills;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerResult;
import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.config.read.ConfigReader;
import dev.mcpbus.hosting.credentials.OAuthAuthenticators;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.security.oauth.OAuthClient;
import dev.mcpbus.security.oauth.TokenStore;
import dev.mcpbus.supervisor.SupervisorOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * The client under test of the conformance suite: {@code ConformanceClient URL}. Knows no scenario:
 * it connects through the bus as any program would, uses everything that the server offers, answers
 * what it asks, and ends. {@code MCP_CONFORMANCE_CONTEXT} may say which tools to call with what.
 *
 * <p>Exit code 0 where everything that was asked for was answered by a result.
 */
public final class ConformanceClient {

  private static final CallOptions PATIENT = CallOptions.timeout(Duration.ofSeconds(20));

  /** The document of the suite's own make-believe client. */
  private static final String CLIENT_METADATA =
      "https://conformance-test.local/client-metadata.json";

  private static final HttpClient BROWSER =
      HttpClient.newBuilder().followRedirects(HttpClient.Redirect.ALWAYS).build();

  private final McpServerClient server;
  private final JsonObject context;

  /** Of the tools so far; a tool that asks for a schema gets the first, as it came. */
  private final List<JsonObject> schemas = new ArrayList<>();

  private boolean failed;

  private ConformanceClient(McpServerClient server, JsonObject context) {
    this.server = server;
    this.context = context;
  }

  public static void main(String[] args) throws Exception {
    String given = System.getenv().getOrDefault("MCP_CONFORMANCE_CONTEXT", "{}");
    JsonObject context = new JsonObject(given);
    Vertx vertx = Vertx.vertx();
    McpBus bus =
        await(
            TestOptions.of(List.of(), SupervisorOptions.DEFAULT, null, ConformanceClient::read)
                .withAuthenticators(
                    OAuthAuthenticators.of(
                        OAuthClient.Environment.of(
                            vertx, TokenStore.inMemory(), (server, page, within) -> logIn(page))))
                .start(vertx));
    McpClient client = McpClient.create(vertx);
    await(client.setInputHandler(Methods.ELICITATION, (from, question) -> accept(question)));
    await(client.addServer("peer", entry(args[args.length - 1], context)));
    ConformanceClient run = new ConformanceClient(client.server("peer"), context);
    run.all();
    await(client.close());
    await(bus.close());
    await(vertx.close());
    System.exit(run.failed ? 1 : 0);
  }

  /** A person with a browser, who agrees at once; what went wrong shows at the client. */
  private static void logIn(URI page) {
    BROWSER
        .sendAsync(
            HttpRequest.newBuilder(page).timeout(Duration.ofSeconds(20)).build(),
            HttpResponse.BodyHandlers.discarding())
        .exceptionally(failure -> null);
  }

  private static JsonObject entry(String url, JsonObject context) throws IOException {
    return new JsonObject()
        .put("type", "http")
        .put("url", url)
        .put("oauth", oauth(context))
        .put("restart", new JsonObject().put("intensity", new JsonObject().put("restarts", 0)));
  }

  /** What an operator would have written, had the suite told it to a person. */
  private static JsonObject oauth(JsonObject context) throws IOException {
    String id = context.getString("client_id");
    String secret = context.getString("client_secret");
    JsonObject oauth = new JsonObject();
    if (id == null) {
      return oauth.put("clientMetadataUrl", CLIENT_METADATA);
    }
    oauth.put("clientId", id);
    if (secret != null) {
      oauth.put("clientSecret", secret);
    }
    if (context.containsKey("issuer")) {
      oauth.put("issuer", context.getString("issuer"));
    } else if (context.containsKey("private_key_pem")) {
      oauth
          .put("grant", "client_credentials")
          .put("privateKey", file(context.getString("private_key_pem")));
    } else if (context.containsKey("valid_jwt")) {
      oauth.put(
          "workloadIdentity",
          new JsonObject().put("tokenFile", file(context.getString("valid_jwt"))));
    } else if (context.containsKey("idp_id_token")) {
      oauth
          .put("grant", "id_jag")
          .put(
              "idJag",
              new JsonObject()
                  .put("tokenEndpoint", context.getString("idp_token_endpoint"))
                  .put("clientId", context.getString("idp_client_id"))
                  .put("subjectToken", context.getString("idp_id_token")));
    } else if (secret != null) {
      oauth.put("grant", "client_credentials");
    }
    return oauth;
  }

  private static String file(String content) throws IOException {
    Path file = Files.createTempFile("conformance", ".txt");
    file.toFile().deleteOnExit();
    return Files.writeString(file, content).toString();
  }

  private static ServerDefinition read(String name, JsonObject entry) {
    ServerResult result =
        ConfigReader.readServer(
            name, entry, ConfigEnvironment.system(), Path.of("."), ServerSettings.DEFAULT);
    return result
        .usable()
        .orElseThrow(() -> new IllegalArgumentException(String.valueOf(result.problems())));
  }

  /** A person who agrees, and fills in only what has no default. */
  private static Future<JsonObject> accept(JsonObject question) {
    JsonObject content = new JsonObject();
    JsonObject schema = question.getJsonObject("requestedSchema", new JsonObject());
    schema
        .getJsonObject("properties", new JsonObject())
        .forEach(
            property -> {
              JsonObject form = (JsonObject) property.getValue();
              if (!form.containsKey("default")) {
                content.put(property.getKey(), sample(form));
              }
            });
    return Future.succeededFuture(new JsonObject().put("action", "accept").put("content", content));
  }

  private void all() {
    each(Addresses.TOOLS_LIST, "tools", this::callTool);
    each(
        Addresses.RESOURCES_LIST,
        "resources",
        resource ->
            server.send(
                Addresses.RESOURCES_READ,
                new JsonObject().put("uri", resource.getString("uri")),
                PATIENT));
    each(Addresses.PROMPTS_LIST, "prompts", this::getPrompt);
    each(Addresses.SKILLS_LIST, "skills", this::load);
  }

  /** A person loads each skill, then its files one by one; one scenario is of who loads none. */
  private Future<JsonObject> load(JsonObject skill) {
    if (String.valueOf(System.getenv("MCP_CONFORMANCE_SCENARIO")).endsWith("no-prefetch")) {
      return Future.succeededFuture(skill);
    }
    ServerSkills skills = ServerSkills.of(server);
    Future<JsonObject> loaded = skills.read(skill, "SKILL.md");
    for (Object file : skill.getJsonArray("resources", new JsonArray())) {
      String uri = ((JsonObject) file).getString("uri");
      loaded = loaded.compose(before -> skills.read(skill, uri));
    }
    return loaded;
  }

  private void each(String address, String key, Function<JsonObject, Future<JsonObject>> use) {
    JsonObject listed = result(address, server.send(address, new JsonObject(), PATIENT));
    for (Object item : listed.getJsonArray(key, new JsonArray())) {
      JsonObject one = (JsonObject) item;
      result(key + " " + one.getString("name"), use.apply(one));
    }
  }

  private JsonObject result(String what, Future<JsonObject> answer) {
    try {
      return await(answer);
    } catch (Exception e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      System.err.println(what + ": " + McpFailure.of(cause).toJson().encode());
      failed = true;
      return new JsonObject();
    }
  }

  private Future<JsonObject> callTool(JsonObject tool) {
    String name = tool.getString("name");
    JsonObject arguments = samples(tool.getJsonObject("inputSchema", new JsonObject()));
    if (arguments.containsKey("schema")) {
      arguments.put("schema", schemas.isEmpty() ? new JsonObject() : schemas.get(0));
    }
    schemas.add(tool.getJsonObject("inputSchema", new JsonObject()));
    for (Object call : context.getJsonArray("toolCalls", new JsonArray())) {
      JsonObject wanted = (JsonObject) call;
      if (name.equals(wanted.getString("name"))) {
        arguments = wanted.getJsonObject("arguments");
      }
    }
    return server.send(
        Addresses.TOOLS_CALL,
        new JsonObject().put("name", name).put("arguments", arguments),
        PATIENT.withValidate(false));
  }

  private Future<JsonObject> getPrompt(JsonObject prompt) {
    JsonObject arguments = new JsonObject();
    for (Object argument : prompt.getJsonArray("arguments", new JsonArray())) {
      arguments.put(((JsonObject) argument).getString("name"), "text");
    }
    return server.send(
        Addresses.PROMPTS_GET,
        new JsonObject().put("name", prompt.getString("name")).put("arguments", arguments),
        PATIENT);
  }

  private static JsonObject samples(JsonObject schema) {
    JsonObject arguments = new JsonObject();
    for (Map.Entry<String, Object> property :
        schema.getJsonObject("properties", new JsonObject())) {
      if (property.getValue() instanceof JsonObject form) {
        arguments.put(property.getKey(), sample(form));
      }
    }
    return arguments;
  }

  private static Object sample(JsonObject form) {
    return switch (String.valueOf(form.getValue("type"))) {
      case "integer", "number" -> 5;
      case "boolean" -> true;
      case "array" -> new JsonArray();
      case "object" -> new JsonObject();
      default -> "text";
    };
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
  }
}
