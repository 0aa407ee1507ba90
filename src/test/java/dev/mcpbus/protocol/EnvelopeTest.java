package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.protocol.ProtocolException.TextFault;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EnvelopeTest {

  private static Envelope parse(String text) throws ProtocolException {
    return parse(text.getBytes(StandardCharsets.UTF_8));
  }

  private static Envelope parse(byte[] bytes) throws ProtocolException {
    return Envelope.parse(bytes, 0, bytes.length, ParseLimits.DEFAULT);
  }

  private static void assertRefused(byte[] bytes, TextFault reason) {
    assertThatThrownBy(() -> parse(bytes))
        .isInstanceOfSatisfying(
            ProtocolException.class, e -> assertThat(e.reason()).isEqualTo(reason));
  }

  private static void assertRefused(String text, TextFault reason) {
    assertRefused(text.getBytes(StandardCharsets.UTF_8), reason);
  }

  @Test
  void a_request_keeps_its_params_byte_for_byte() throws ProtocolException {
    Envelope message =
        parse(
            "{ \"params\" : {\"b\":1.00e2, \"a\" : [ ] } ,\"method\":\"x/y\",\"id\":7,\"jsonrpc\":\"2.0\"}");
    assertThat(message.kind()).isEqualTo(Envelope.Kind.REQUEST);
    assertThat(message.integerId()).isEqualTo(7);
    assertThat(message.method()).isEqualTo("x/y");
    assertThat(message.params()).hasToString("{\"b\":1.00e2, \"a\" : [ ] }");
  }

  @Test
  void a_result_and_an_error_keep_their_payload() throws ProtocolException {
    assertThat(parse("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":{}}}").payload())
        .hasToString("{\"x\":{}}");
    Envelope error = parse("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1}}");
    assertThat(error.kind()).isEqualTo(Envelope.Kind.ERROR);
    assertThat(JsonRpcError.of(error.payload()).code()).isEqualTo(-1);
  }

  @Test
  void a_notification_without_params_has_an_empty_object() throws ProtocolException {
    Envelope message = parse("{\"jsonrpc\":\"2.0\",\"method\":\"n\"}");
    assertThat(message.kind()).isEqualTo(Envelope.Kind.NOTIFICATION);
    assertThat(message.params()).isEqualTo(RawJson.EMPTY_OBJECT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"1\"",
        "null",
        "1.0",
        "1e0",
        "-1",
        "01234567890123456789",
        "9999999999999999999"
      })
  void case_20_only_a_plain_integer_id_matches_one_of_ours(String id) {
    try {
      assertThat(parse("{\"jsonrpc\":\"2.0\",\"result\":{},\"id\":" + id + "}").integerId())
          .isEqualTo(-1);
    } catch (ProtocolException e) {
      assertThat(id).startsWith("0"); // a leading zero is not JSON at all
    }
  }

  @Test
  void case_13_byte_order_mark_and_blanks_are_tolerated() throws ProtocolException {
    assertThat(parse("\uFEFF \t{\"jsonrpc\":\"2.0\",\"method\":\"n\"} \r\n").method())
        .isEqualTo("n");
  }

  @Test
  void case_14_line_separator_and_escaped_nul_are_kept() throws ProtocolException {
    String params = "{\"a\":\"x\u2028y\\u0000z\"}";
    assertThat(parse("{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":" + params + "}").params())
        .hasToString(params);
  }

  @Test
  void case_15_a_batch_and_two_objects_are_refused() {
    assertRefused("[{\"jsonrpc\":\"2.0\",\"method\":\"n\"}]", TextFault.BATCH);
    assertRefused(
        "{\"jsonrpc\":\"2.0\",\"method\":\"n\"}{\"jsonrpc\":\"2.0\",\"method\":\"n\"}",
        TextFault.TRAILING_BYTES);
  }

  @Test
  void case_54_deep_nesting_is_refused_without_a_stack_overflow() {
    String deep = "[".repeat(10_000) + "]".repeat(10_000);
    assertRefused("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" + deep + "}", TextFault.TOO_DEEP);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"Result\":{},\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"\\u0069d\":2,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"ID\":1,\"result\":{}}"
      })
  void case_55_duplicate_and_case_varied_members_are_refused(String text) {
    assertRefused(text, TextFault.DUPLICATE_KEY);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'method':'tools/call','params':{'name':'add','arguments':{},'name':'delete_all'}|'name'",
        "'method':'tools/call','params':{'name':'add','\\u006eame':'delete_all'}|'name'",
        "'params':{'arguments':{'a':[{'b':1,'b':2}]}},'method':'tools/call'|'b'",
        "'method':'ping','extra':1,'extra':2|'extra'",
        "'method':'ping','extra':{'a':1,'a':2}|'a'",
        "'result':{'resultType':'complete','resultType':'task'}|'resultType'",
        "'result':{'_meta':{'a':{'b':1,'b':2}}}|'b'",
        "'result':{'_meta':{},'\\u005fmeta':{}}|'_meta'",
        "'result':{'tools':[],'tools':[{'name':'x'}]}|'tools'",
        "'result':{'resources':[],'resources':[]}|'resources'",
        "'result':{'nextCursor':'a','nextCursor':'b'}|'nextCursor'",
        "'result':{'inputRequests':{'q':{'method':'m','method':'n'}}}|'method'",
        "'result':{'requestState':'a','requestState':'b'}|'requestState'",
        "'result':{'task':{'taskId':'a','taskId':'b'}}|'taskId'",
        "'result':{'taskId':'a','taskId':'b'}|'taskId'",
        "'result':{'capabilities':{'tools':{},'tools':null}}|'tools'",
        "'result':{'protocolVersion':'1','protocolVersion':'2'}|'protocolVersion'",
        "'result':{'status':'completed','result':{'resultType':'a','resultType':'b'}}|'resultType'",
        "'error':{'code':1,'message':'a','code':2}|'code'"
      })
  void what_is_said_twice_is_refused_and_its_id_is_still_known(String members, String name)
      throws Exception {
    String text = ("{'jsonrpc':'2.0','id':7," + members + "}").replace('\'', '"');
    String quoted = name.replace('\'', '"');
    assertRefused(text, TextFault.DUPLICATE_KEY);
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    Envelope message = Envelope.received(bytes, 0, bytes.length, ParseLimits.DEFAULT);
    assertThat(message.integerId()).isEqualTo(7);
    assertThat(message.ambiguity()).hasMessageStartingWith("member " + quoted + " stands twice");
    assertThatThrownBy(message::payload).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(message::params).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(message::resultType).isInstanceOf(IllegalStateException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'Name':'x'}",
        "{'name':'a','NAME':'b'}",
        "{'name':'a','n\\u0041me':'b'}",
        "{'\u017fource':1,'ur\u0131':1,'taſkId':'x'}",
        "{'URI':'x'}",
        "{'name\\u0000':'b'}",
        "{'name\\u0000x':'b','name':'a'}",
        "{'Arguments':{}}",
        "{'ref':{'type':'ref/prompt','name':'a','Name':'b'}}",
        "{'ref':{'Type':'ref/prompt'}}",
        "{'method':'tools/call','params':{'Name':'b'}}",
        "{'TaskId':'x'}"
      })
  void what_a_request_is_about_is_written_as_mcp_writes_it(String params) throws Exception {
    String text = "{'jsonrpc':'2.0','id':7,'method':'tools/call','params':" + params + "}";
    byte[] bytes = text.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> Envelope.parse(bytes, 0, bytes.length, ParseLimits.DEFAULT))
        .hasMessageContaining("must be written");
    assertThat(Envelope.received(bytes, 0, bytes.length, ParseLimits.DEFAULT).ambiguity()).isNull();
    assertThatThrownBy(
            () ->
                RawJson.checkedParams(
                    Buffer.buffer(params.replace('\'', '"')), ParseLimits.DEFAULT))
        .hasMessageContaining("must be written");
  }

  @Test
  void names_inside_of_arguments_are_the_tools_own() throws Exception {
    String text =
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"a\","
            + "\"arguments\":{\"name\":1,\"Name\":2,\"URI\":3},\"names\":1,\"Names\":2}}";
    assertThat(parse(text).params().member("arguments"))
        .hasToString("{\"name\":1,\"Name\":2,\"URI\":3}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'content':[],'content':[{'type':'text','text':'x','text':'y'}]}",
        "{'structuredContent':{'a':1,'a':2}}",
        "{'extension':{'a':1,'a':2},'extension':3}",
        "{'tools':[{'name':'a','name':'b'},{'name':'c'}]}",
        "{'contents':[{'_meta':{'a':1,'a':2}}]}",
        "{'status':'completed','result':{'content':[{'a':1,'a':2}]}}",
        "[{'resultType':1,'resultType':2}]"
      })
  void what_a_result_only_carries_passes_byte_for_byte(String result) throws Exception {
    String json = result.replace('\'', '"');
    Envelope message = parse("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":" + json + "}");
    assertThat(message.payload()).hasToString(json);
  }

  @Test
  void case_55_a_million_digit_number_is_refused() {
    assertRefused(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"n\":" + "9".repeat(1_000_000) + "}}",
        TextFault.NUMBER_TOO_LONG);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"NaN", "Infinity", "01", "1.", ".5", "+1", "'x'", "tru", "{,}", "[1,]", "{\"a\"}"})
  void case_53_what_is_not_json_is_refused(String value) {
    assertRefused(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"v\":" + value + "}}", TextFault.NOT_JSON);
  }

  @Test
  void case_12_invalid_utf8_is_refused_never_replaced() {
    byte[][] bad = {
      {(byte) 0xFF},
      {(byte) 0xC0, (byte) 0xAF},
      {(byte) 0xED, (byte) 0xA0, (byte) 0x80},
      {(byte) 0xF4, (byte) 0x90, (byte) 0x80, (byte) 0x80},
      {(byte) 0xE2, (byte) 0x82}
    };
    for (byte[] sequence : bad) {
      byte[] head =
          "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"v\":\"".getBytes(StandardCharsets.UTF_8);
      byte[] tail = "\"}}".getBytes(StandardCharsets.UTF_8);
      byte[] all = new byte[head.length + sequence.length + tail.length];
      System.arraycopy(head, 0, all, 0, head.length);
      System.arraycopy(sequence, 0, all, head.length, sequence.length);
      System.arraycopy(tail, 0, all, head.length + sequence.length, tail.length);
      assertRefused(all, TextFault.INVALID_UTF8);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'id':1,'error':null,'result':{'a':1}|RESULT|{'a':1}",
        "'id':1,'method':null,'params':null,'result':{},'error':null|RESULT|{}",
        "'id':1,'result':null,'error':{'code':-1}|ERROR|{'code':-1}",
        "'id':1,'result':null|RESULT|null",
        "'id':1,'result':null,'error':null|RESULT|null",
        "'id':1,'method':'ping','params':null|REQUEST|{}",
        "'id':1,'method':'ping','params':{},'result':null,'error':null|REQUEST|{}",
        "'id':null,'method':'notifications/x','params':null|NOTIFICATION|{}"
      })
  void null_stands_for_an_absent_member(String members, Envelope.Kind kind, String payload)
      throws ProtocolException {
    Envelope message = parse("{\"jsonrpc\":\"2.0\"," + members.replace('\'', '"') + "}");
    assertThat(message.kind()).isEqualTo(kind);
    assertThat(kind.isAnswer() ? message.payload() : message.params())
        .hasToString(payload.replace('\'', '"'));
    assertThat(message.hasNulls()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'id':1,'error':null,'error':{'code':1}",
        "'id':1,'error':null,'err\\u006fr':null,'result':{}",
        "'id':1,'result':null,'result':{}",
        "'id':1,'result':{},'Error':null",
        "'id':1,'method':'m','params':null,'params':{}",
        "'id':1,'method':'m','PARAMS':null"
      })
  void null_opens_no_way_for_a_second_member(String members) {
    assertRefused(
        "{\"jsonrpc\":\"2.0\"," + members.replace('\'', '"') + "}", TextFault.DUPLICATE_KEY);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"jsonrpc\":null,\"id\":1,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":null}",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"tools/call\"}",
        "{\"id\":1,\"result\":{}}",
        "{\"jsonrpc\":\"1.0\",\"id\":1,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":1}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"m\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":[1]}",
        "{\"jsonrpc\":\"2.0\",\"method\":5}"
      })
  void json_that_is_no_json_rpc_message_is_refused(String text) {
    assertRefused(text, TextFault.NOT_JSON_RPC);
  }

  @Test
  void a_message_over_the_limit_is_refused_before_it_is_read() {
    byte[] text = "{\"jsonrpc\":\"2.0\",\"method\":\"n\"}".getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(
            () -> Envelope.parse(text, 0, text.length, ParseLimits.DEFAULT.withMaxBytes(10)))
        .isInstanceOfSatisfying(
            ProtocolException.class, e -> assertThat(e.reason()).isEqualTo(TextFault.TOO_LARGE));
  }

  @Test
  void every_cut_of_a_message_is_refused_and_none_escapes_as_another_exception() {
    byte[] text =
        "{\"jsonrpc\":\"2.0\",\"id\":12,\"result\":{\"a\":[1,-2.5e3,\"\\u00e9é\\n\"],\"b\":null}}"
            .getBytes(StandardCharsets.UTF_8);
    for (int length = 0; length < text.length; length++) {
      int cut = length;
      assertThatThrownBy(() -> Envelope.parse(text, 0, cut, ParseLimits.DEFAULT))
          .isInstanceOf(ProtocolException.class);
    }
  }
}
