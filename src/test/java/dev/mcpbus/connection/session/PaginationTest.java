package dev.mcpbus.connection.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.FailureCode;
import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.connection.options.ConnectionOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.JsonRpcError;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.Quirks;
import dev.mcpbus.protocol.RawJson;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PaginationTest {

  private final List<String> asked = new ArrayList<>();
  private Quirks quirks = new Quirks(false, quirk -> {});

  private Future<RawJson> all(ConnectionOptions options, String params, String... pages) {
    Iterator<String> next = List.of(pages).iterator();
    return Pagination.all(
        "tools",
        RawJson.of(params),
        options,
        quirks,
        page -> {
          asked.add(page.toString());
          return Future.succeededFuture(RawJson.of(next.next()));
        });
  }

  private String joined(String... pages) {
    return all(ConnectionOptions.DEFAULT, "{}", pages).result().toString();
  }

  private McpFailure refused(ConnectionOptions options, String... pages) {
    Future<RawJson> result = all(options, "{}", pages);
    assertThat(result.failed()).isTrue();
    return McpFailure.of(result.cause());
  }

  @Test
  void one_page_comes_back_as_the_bytes_that_arrived() {
    String page = "{ \"x\":1.0, \"tools\" : [ {\"name\":\"\\u0041\"} ] , \"nextCursor\" : null }";
    assertThat(joined(page)).isEqualTo(page);
  }

  @Test
  void pages_are_joined_in_order_with_each_item_as_it_was() {
    assertThat(
            joined(
                "{\"extra\":0.10,\"tools\":[ {\"a\" : 1} ,{\"b\":2}],\"nextCursor\":\"2\"}",
                "{\"tools\":[],\"nextCursor\":\"3\"}",
                "{\"nextCursor\":\"4\",\"tools\":[ ]}",
                "{\"tools\":[{\"c\":1e400}]}"))
        .isEqualTo("{\"extra\":0.10,\"tools\":[ {\"a\" : 1} ,{\"b\":2},{\"c\":1e400}]}");
  }

  @Test
  void the_cursor_goes_back_as_it_came_beside_the_other_params() {
    Future<RawJson> all =
        all(
            ConnectionOptions.DEFAULT,
            "{\"filter\" : 1}",
            "{\"tools\":[],\"nextCursor\":\"\\u0041\"}",
            "{\"tools\":[],\"nextCursor\":7}",
            "{\"tools\":[]}");
    assertThat(all.succeeded()).isTrue();
    assertThat(asked.get(0)).isEqualTo("{\"filter\" : 1}");
    assertThat(asked.get(1)).contains("\"filter\" : 1").contains("\"cursor\":\"\\u0041\"");
    assertThat(asked.get(2)).contains("\"cursor\":7");
    assertThat(asked).hasSize(3);
  }

  @Test
  void a_cursor_that_leads_nowhere_new_ends_the_list_with_what_there_is() {
    String page = "{\"tools\":[{\"name\":\"a\"}],\"nextCursor\":\"again\"}";
    assertThat(joined(page, page)).isEqualTo("{\"tools\":[{\"name\":\"a\"}]}");
    assertThat(joined(page, "{\"tools\":[7],\"nextCursor\":\"again\"}"))
        .isEqualTo("{\"tools\":[{\"name\":\"a\"},7]}");
    String empty = "{\"tools\":[7],\"nextCursor\":\"\"}";
    assertThat(joined(empty, empty)).isEqualTo("{\"tools\":[7]}");
    asked.clear();
    assertThat(joined("{\"tools\":[7],\"nextCursor\":false}")).isEqualTo("{\"tools\":[7]}");
    assertThat(asked).hasSize(1);
    JsonObject told = quirks.toJson().getJsonObject(0);
    assertThat(told.getString("quirk")).isEqualTo("STUCK_CURSOR");
    assertThat(told.getLong("count")).isEqualTo(4);
  }

  @Test
  void an_empty_cursor_goes_on_and_ends_the_list_where_the_server_refuses_it() {
    assertThat(joined("{\"tools\":[1],\"nextCursor\":\"\"}", "{\"tools\":[2]}"))
        .isEqualTo("{\"tools\":[1,2]}");
    Iterator<Future<RawJson>> next =
        List.<Future<RawJson>>of(
                Future.succeededFuture(RawJson.of("{\"tools\":[1],\"nextCursor\":\"\"}")),
                Future.failedFuture(McpFailure.maybeSent(FailureCode.UPSTREAM_ERROR, "cursor?")))
            .iterator();
    Future<RawJson> all =
        Pagination.all(
            "tools", RawJson.EMPTY_OBJECT, ConnectionOptions.DEFAULT, quirks, page -> next.next());
    assertThat(all.result()).hasToString("{\"tools\":[1]}");
  }

  @Test
  void null_and_nothing_are_an_empty_list() {
    assertThat(joined("{\"tools\":null}")).isEqualTo("{\"tools\":[]}");
    assertThat(joined("{\"tools\":null,\"total\":0}")).isEqualTo("{\"tools\":[],\"total\":0}");
    assertThat(joined("{\"_meta\":{}}")).isEqualTo("{\"tools\":[],\"_meta\":{}}");
    assertThat(joined("{\"tools\":[1],\"nextCursor\":\"2\"}", "{\"tools\":null}"))
        .isEqualTo("{\"tools\":[1]}");
  }

  @Test
  void a_strict_entry_tolerates_none_of_it() {
    quirks = new Quirks(true, quirk -> {});
    assertThat(refused(ConnectionOptions.DEFAULT, "{\"tools\":null}"))
        .hasMessageContaining("no array \"tools\"");
    String page = "{\"tools\":[],\"nextCursor\":\"again\"}";
    McpFailure failure = refused(ConnectionOptions.DEFAULT, page, page, page);
    assertThat(failure.code()).isEqualTo(FailureCode.PROTOCOL_ERROR);
    assertThat(failure).hasMessageContaining("again").hasMessageContaining("tools");
    assertThat(quirks.toJson()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", "[]", "true", "{\"offset\":1}"})
  void what_is_no_cursor_ends_the_list(String cursor) {
    String page = "{\"tools\":[7],\"nextCursor\":" + cursor + "}";
    assertThat(joined(page)).isEqualTo("{\"tools\":[7]}");
    assertThat(asked).hasSize(1);
    quirks = new Quirks(true, quirk -> {});
    assertThat(refused(ConnectionOptions.DEFAULT, page).code())
        .isEqualTo(FailureCode.PROTOCOL_ERROR);
  }

  @Test
  void a_page_that_comes_again_under_a_new_cursor_ends_the_list() {
    assertThat(
            joined(
                "{\"tools\":[7],\"nextCursor\":\"a\"}",
                "{\"tools\":[],\"nextCursor\":\"b\"}",
                "{\"tools\":[],\"nextCursor\":\"c\"}",
                "{\"tools\":[8],\"nextCursor\":\"d\"}",
                "{\"tools\":[7],\"nextCursor\":\"e\"}"))
        .isEqualTo("{\"tools\":[7,8]}");
    assertThat(quirks.toJson().getJsonObject(0).getString("quirk")).isEqualTo("STUCK_CURSOR");
  }

  @ParameterizedTest
  @CsvSource({"-32602,true", "-32603,false"})
  void a_cursor_that_its_server_calls_invalid_ends_the_list(int code, boolean tolerated) {
    Iterator<Future<RawJson>> next =
        List.<Future<RawJson>>of(
                Future.succeededFuture(RawJson.of("{\"tools\":[1],\"nextCursor\":\"1\"}")),
                Future.failedFuture(McpFailure.upstream(new JsonRpcError(code, "cursor?", null))),
                Future.succeededFuture(RawJson.of("{\"tools\":[1],\"nextCursor\":\"1\"}")),
                Future.failedFuture(McpFailure.upstream(new JsonRpcError(code, "cursor?", null))))
            .iterator();
    Future<RawJson> all =
        Pagination.all(
            "tools", RawJson.EMPTY_OBJECT, ConnectionOptions.DEFAULT, quirks, page -> next.next());
    assertThat(all.succeeded()).isEqualTo(tolerated);
    assertThat(String.valueOf(all.result())).isEqualTo(tolerated ? "{\"tools\":[1]}" : "null");
  }

  @Test
  void a_cursor_that_has_expired_begins_the_list_anew() {
    Future<RawJson> invalid =
        Future.failedFuture(
            McpFailure.upstream(new JsonRpcError(JsonRpcError.INVALID_PARAMS, "cursor?", null)));
    String head = "{\"tools\":[1],\"nextCursor\":\"%s\"}";
    List<Future<RawJson>> answers =
        List.of(
            Future.succeededFuture(RawJson.of(head.formatted("old"))),
            invalid,
            Future.succeededFuture(RawJson.of(head.formatted("new"))),
            Future.succeededFuture(RawJson.of("{\"tools\":[2]}")));
    Iterator<Future<RawJson>> next = answers.iterator();
    Future<RawJson> all =
        Pagination.all(
            "tools",
            RawJson.of("{\"filter\":1}"),
            ConnectionOptions.DEFAULT,
            quirks,
            page -> {
              asked.add(page.toString());
              return next.next();
            });
    assertThat(all.result()).hasToString("{\"tools\":[1,2]}");
    assertThat(asked.get(2)).isEqualTo("{\"filter\":1}");
    assertThat(quirks.toJson()).isEmpty();
    Iterator<Future<RawJson>> few = answers.iterator();
    Future<RawJson> bounded =
        Pagination.all(
            "tools",
            RawJson.EMPTY_OBJECT,
            RecordCopy.with(ConnectionOptions.DEFAULT, "maxPages", 2),
            quirks,
            page -> few.next());
    assertThat(bounded.cause()).hasMessageContaining("does not end after 2 pages");
  }

  @Test
  void a_page_without_the_list_ends_it() {
    assertThat(refused(ConnectionOptions.DEFAULT, "{\"resources\":[]}"))
        .hasMessageContaining("no array \"tools\"");
    assertThat(refused(ConnectionOptions.DEFAULT, "{\"tools\":{}}").code())
        .isEqualTo(FailureCode.PROTOCOL_ERROR);
  }

  @Test
  void more_pages_than_allowed_end_it() {
    ConnectionOptions options = RecordCopy.with(ConnectionOptions.DEFAULT, "maxPages", 2);
    String first = "{\"tools\":[],\"nextCursor\":\"1\"}";
    String second = "{\"tools\":[],\"nextCursor\":\"2\"}";
    assertThat(refused(options, first, second)).hasMessageContaining("2 pages");
    assertThat(all(options, "{}", first, "{\"tools\":[]}").succeeded()).isTrue();
  }

  @Test
  void more_bytes_than_one_message_may_have_end_it() {
    ParseLimits tight = new ParseLimits(60, 64, 100);
    ConnectionOptions options = RecordCopy.with(ConnectionOptions.DEFAULT, "limits", tight);
    assertThat(
            refused(
                    options,
                    "{\"tools\":[\"0123456789\"],\"nextCursor\":\"1\"}",
                    "{\"tools\":[\"1123456789\"],\"nextCursor\":\"2\"}")
                .code())
        .isEqualTo(FailureCode.PROTOCOL_ERROR);
  }

  @Test
  void a_page_that_fails_fails_the_list() {
    McpFailure lost = McpFailure.maybeSent(FailureCode.UPSTREAM_RESET, "lost");
    Future<RawJson> result =
        Pagination.all(
            "tools",
            RawJson.EMPTY_OBJECT,
            ConnectionOptions.DEFAULT,
            quirks,
            page -> Future.failedFuture(lost));
    assertThat(result.cause()).isSameAs(lost);
  }
}
