package dev.mcpbus.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.json.pointer.JsonPointer;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.Validator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The document of the bus against the running bus. */
class AsyncApiDocumentTest {

  private static final JsonObject DEMO =
      new JsonObject().put("type", "bus").put("address", "mcpbus.demo");

  private static final Path SCHEMA =
      Path.of("src/test/npm/node_modules/@asyncapi/specs/schemas/3.0.0-without-$id.json");

  /** What is sent; {@code {}} where nothing stands here. */
  private static final Map<String, String> BODIES =
      Map.ofEntries(
          Map.entry("serverToolsCall", "{'name':'add','arguments':{'a':2,'b':3}}"),
          Map.entry("serverToolsApprove", "{'tool':'add'}"),
          Map.entry("serverResourcesRead", "{'uri':'demo://readme'}"),
          Map.entry("serverResourcesSubscribe", "{'uri':'demo://readme'}"),
          Map.entry("serverResourcesUnsubscribe", "{'uri':'demo://readme'}"),
          Map.entry("serverResourcesDirectory", "{'uri':'skill://none'}"),
          Map.entry("serverSkillsGet", "{'uri':'skill://none/SKILL.md'}"),
          Map.entry("serverSkillsRead", "{'uri':'skill://none/SKILL.md'}"),
          Map.entry("serverPromptsGet", "{'name':'greet','arguments':{'name':'you'}}"),
          Map.entry("serverTasksGet", "{'taskId':'none'}"),
          Map.entry("serverTasksResult", "{'taskId':'none'}"),
          Map.entry("serverTasksUpdate", "{'taskId':'none'}"),
          Map.entry("serverTasksCancel", "{'taskId':'none'}"),
          Map.entry(
              "serverCompletion",
              "{'ref':{'type':'ref/prompt','name':'greet'},'argument':{'name':'name','value':''}}"),
          Map.entry("serviceCredentialsList", "{'principal':'alice'}"),
          Map.entry("serviceCredentialsSet", "{'id':'demo','secret':'s','principal':'alice'}"),
          Map.entry("serviceCredentialsRemove", "{'principal':'alice'}"),
          Map.entry("serverLoglevel", "{'level':'info'}"),
          Map.entry("serverRequest", "{'method':'tools/list'}"),
          Map.entry("serverNotify", "{'method':'x/y'}"),
          Map.entry("serverCancel", "{'callId':'none'}"),
          Map.entry("serverCallsCancel", "{'call':7777}"),
          Map.entry("serverRpclog", "{'mode':null}"),
          Map.entry("allToolsCall", "{'name':'demo.add','arguments':{'a':2,'b':3}}"),
          Map.entry("allToolsSearch", "{'query':'add'}"),
          Map.entry("allToolsDescribe", "{'name':'demo.add'}"),
          Map.entry("allToolsFunctions", "{'form':'openai'}"),
          Map.entry(
              "allToolsFunctionsCall",
              "{'form':'openai','call':{'id':'1','type':'function','function':"
                  + "{'name':'demo__add','arguments':'{\\\"a\\\":2,\\\"b\\\":3}'}}}"),
          Map.entry("allToolsFunctionsCancel", "{'callId':'none'}"),
          Map.entry("allSkillsRead", "{'server':'demo','uri':'skill://none/SKILL.md'}"),
          Map.entry("serviceAdd", "{'name':'more','config':" + DEMO.encode() + "}"),
          Map.entry("servicePreview", "{'text':'npx -y more'}"),
          Map.entry("serviceGet", "{'id':'demo'}"),
          Map.entry("serviceRemove", "{'id':'more'}"),
          Map.entry("serviceExamine", "{'id':'demo'}"),
          Map.entry("serviceRpclog", "{'id':'demo','mode':null}"),
          Map.entry("serviceNodesDrain", "{'node':'local'}"),
          Map.entry("serviceInputOffer", "{'capabilities':{}}"));

  private static TestBus bus;
  private static JsonObject document;

  @BeforeAll
  static void start() {
    bus = TestBus.start(new JsonObject().put("demo", DEMO).put("other", DEMO));
    bus.awaitState("demo", "READY");
    bus.awaitState("other", "READY");
    document = new JsonObject(AsyncApiDocument.document().encode());
  }

  @AfterAll
  static void stop() {
    bus.close();
  }

  @Test
  void each_reference_leads_somewhere_and_each_schema_is_used() {
    Set<String> used = new HashSet<>();
    Matcher references = Pattern.compile("\"\\$ref\":\"#([^\"]+)\"").matcher(document.encode());
    while (references.find()) {
      String at = references.group(1);
      assertThat(JsonPointer.from(at).queryJson(document)).as(at).isNotNull();
      used.add(at.replaceFirst(".*/", ""));
    }
    JsonObject components = document.getJsonObject("components");
    assertThat(used)
        .containsAll(components.getJsonObject("schemas").fieldNames())
        .containsAll(components.getJsonObject("messages").fieldNames());
    Set<String> channels = new TreeSet<>(document.getJsonObject("channels").fieldNames());
    channels.remove("replies");
    assertThat(document.getJsonObject("operations").fieldNames()).isEqualTo(channels);
    assertThat(
            channels.stream()
                .map(name -> JsonPointer.from("/channels/" + name + "/address"))
                .map(at -> at.queryJson(document)))
        .doesNotHaveDuplicates();
  }

  @Test
  void it_is_valid_by_the_schema_of_asyncapi() throws IOException {
    if (!"true".equals(System.getenv("CI"))) {
      assumeTrue(Files.exists(SCHEMA), "npm ci was not run in src/test/npm");
    }
    JsonObject schema = new JsonObject(Files.readString(SCHEMA));
    OutputUnit result = validator(schema, Draft.DRAFT7).validate(document);
    assertThat(result.getValid()).as("%s", result.toJson()).isTrue();
    JsonObject wrong = document.copy();
    wrong.getJsonObject("operations").getJsonObject("events").put("action", "publish");
    assertThat(validator(schema, Draft.DRAFT7).validate(wrong).getValid()).isFalse();
  }

  private static Validator validator(JsonObject schema, Draft draft) {
    return Validator.create(
        JsonSchema.of(schema),
        new JsonSchemaOptions()
            .setDraft(draft)
            .setOutputFormat(OutputFormat.Basic)
            .setBaseUri("https://mcpbus.invalid/"));
  }

  @Test
  void each_operation_has_a_consumer_and_its_reply_fits() {
    JsonObject operations = document.getJsonObject("operations");
    Set<String> answered = new TreeSet<>();
    for (String name : operations.fieldNames()) {
      JsonObject operation = operations.getJsonObject(name);
      if (operation.getString("action").equals("receive")) {
        // What stops or starts is asked of another server than what is called.
        boolean state = Set.of("serverConnect", "serverDisconnect", "serverRestart").contains(name);
        String address =
            String.valueOf(JsonPointer.from("/channels/" + name + "/address").queryJson(document))
                .replace("{id}", state ? "other" : "demo");
        JsonObject body = new JsonObject(BODIES.getOrDefault(name, "{}").replace('\'', '"'));
        fits(takes(operation), body);
        if (asked(name, operation, address, body)) {
          answered.add(name);
        }
      }
    }
    assertThat(answered)
        .as("most operations are answered by more than a failure")
        .hasSizeGreaterThan(operations.size() * 2 / 3);
  }

  /** False if it is a failure that fits. */
  private static boolean asked(String name, JsonObject operation, String address, JsonObject body) {
    if (!operation.containsKey("reply")) {
      bus.vertx().eventBus().send(address, body);
      return true;
    }
    JsonArray replies = operation.getJsonObject("reply").getJsonArray("messages");
    JsonObject reply;
    try {
      reply =
          TestBus.await(
                  bus.vertx()
                      .eventBus()
                      .<JsonObject>request(
                          address, body, new DeliveryOptions().setSendTimeout(60_000)))
              .body();
    } catch (RuntimeException e) {
      ReplyException failure = failure(e);
      assertThat(failure).as(name).isInstanceOf(McpFailure.class);
      assertThat(failure.failureType()).as(name).isNotEqualTo(ReplyFailure.NO_HANDLERS);
      fits(
          reference(replies, 1),
          new JsonObject()
              .put("failureCode", failure.failureCode())
              .put("message", failure.getMessage()));
      return false;
    }
    fits(reference(replies, 0), reply);
    return true;
  }

  private static ReplyException failure(Throwable e) {
    for (Throwable at = e; at != null; at = at.getCause()) {
      if (at instanceof ReplyException reply) {
        return reply;
      }
    }
    throw new AssertionError(e);
  }

  private static String takes(JsonObject operation) {
    String at = operation.getJsonArray("messages").getJsonObject(0).getString("$ref").substring(1);
    return ((JsonObject) JsonPointer.from(at).queryJson(document)).getString("$ref");
  }

  private static String reference(JsonArray replies, int index) {
    return "#/components/messages/"
        + replies.getJsonObject(index).getString("$ref").replaceFirst(".*/", "");
  }

  /** Whether the body is one of the message at that place. */
  private static void fits(String message, JsonObject body) {
    JsonObject found = (JsonObject) JsonPointer.from(message.substring(1)).queryJson(document);
    JsonObject schema =
        new JsonObject()
            .put("$ref", found.getJsonObject("payload").getString("$ref"))
            .put("$defs", document.getJsonObject("components").getJsonObject("schemas"));
    JsonObject own = new JsonObject(schema.encode().replace("#/components/schemas/", "#/$defs/"));
    OutputUnit result = validator(own, Draft.DRAFT202012).validate(body);
    assertThat(result.getValid()).as("%s: %s\n%s", message, body, result.toJson()).isTrue();
  }

  @Test
  void a_reply_that_does_not_fit_is_found() {
    List<Object> wrong = List.of(new JsonObject().put("name", 1));
    assertThatThrownBy(
            () ->
                fits(
                    "#/components/messages/ToolList",
                    new JsonObject().put("tools", new JsonArray(wrong))))
        .isInstanceOf(AssertionError.class);
  }
}
