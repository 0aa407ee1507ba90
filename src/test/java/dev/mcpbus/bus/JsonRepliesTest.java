package dev.mcpbus.bus;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class JsonRepliesTest {

  private static final JsonObject RESULT = new JsonObject().put("a", 1);

  private final Vertx vertx = Vertx.vertx();

  @BeforeEach
  void codecs() {
    Codecs.register(vertx);
  }

  @AfterEach
  void close() throws Exception {
    vertx.close().await(60, TimeUnit.SECONDS);
  }

  private Object reply(Object body, Supplier<Future<JsonObject>> service) throws Exception {
    vertx.eventBus().consumer("service", message -> JsonReplies.serve(message, service));
    return vertx
        .eventBus()
        .<Object>request("service", body)
        .<Object>transform(
            reply ->
                Future.succeededFuture(
                    reply.succeeded() ? reply.result().body() : McpFailure.of(reply.cause())))
        .await(60, TimeUnit.SECONDS);
  }

  private McpFailure failure(Supplier<Future<JsonObject>> service) throws Exception {
    return (McpFailure) reply(new JsonObject(), service);
  }

  @Test
  void a_json_object_gets_a_json_object() throws Exception {
    assertThat(reply(new JsonObject(), () -> Future.succeededFuture(RESULT))).isEqualTo(RESULT);
  }

  @Test
  void a_buffer_gets_a_buffer() throws Exception {
    assertThat(reply(Buffer.buffer("{}"), () -> Future.succeededFuture(RESULT)))
        .isEqualTo(RESULT.toBuffer());
  }

  @Test
  void a_failure_of_the_future_is_the_reply() throws Exception {
    McpFailure refused = McpFailure.notSent(FailureCode.OVERLOADED, "too many");
    assertThat(failure(() -> Future.failedFuture(refused)).toJson()).isEqualTo(refused.toJson());
  }

  @Test
  void a_failure_without_a_code_is_replied_without_its_text() throws Exception {
    assertThat(failure(() -> Future.failedFuture(new IllegalStateException("secret"))).toJson())
        .isEqualTo(
            McpFailure.maybeSent(FailureCode.INTERNAL, "unexpected IllegalStateException")
                .toJson());
  }

  @Test
  void a_refusal_that_the_service_throws_is_the_reply() throws Exception {
    assertThat(
            failure(
                    () -> {
                      throw McpFailure.badRequest("no name");
                    })
                .toJson())
        .isEqualTo(McpFailure.badRequest("no name").toJson());
  }

  @Test
  void a_defect_of_the_service_is_replied_without_its_text() throws Exception {
    assertThat(
            failure(
                    () -> {
                      throw new IllegalStateException("secret");
                    })
                .toJson())
        .isEqualTo(McpFailure.defect().toJson());
  }
}
