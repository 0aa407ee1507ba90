package dev.mcpbus.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a checked object knows of its members is what reading it from the start finds. */
class MemberIndexTest {

  private static final int OBJECTS = 20_000;
  private static final List<String> NAMES =
      List.of(
          "name",
          "nam",
          "name2",
          "arguments",
          "_meta",
          "task",
          "uri",
          "",
          "a",
          "ä",
          "aä",
          "😀",
          "\"",
          "\\",
          "\\u0061",
          "\n",
          "n\"ame",
          "x".repeat(40));
  private static final List<String> VALUES =
      List.of(
          "1",
          "-0.5e3",
          "true",
          "null",
          "\"\"",
          "\"name\"",
          "\"\\\"name\\\":\"",
          "{}",
          "[]",
          "{\"name\":1}",
          "{\"task\":{\"uri\":[]}}",
          "[{\"_meta\":2},{\"_meta\":3}]",
          "\"}\"",
          "\",\"");
  private static final List<String> BLANKS = List.of("", "", "", " ", "\n", " \t\r\n ");

  private final Random random = new Random(20261122);

  @Test
  void members_are_found_where_reading_finds_them() throws Exception {
    int found = 0;
    for (int i = 0; i < OBJECTS; i++) {
      String text = object();
      RawJson known = RawJson.checkedObject(Buffer.buffer(text), ParseLimits.DEFAULT);
      RawJson read = RawJson.slice(known.array(), known.offset(), known.length());
      RawJson once = read.indexed();
      for (String name : NAMES) {
        RawJson value = read.member(name);
        assertEquals(value, once.member(name), () -> name + " of " + text);
        assertEquals(value, known.member(name), () -> name + " in " + text);
        assertEquals(read.without(name), known.without(name), () -> name + " off " + text);
        assertEquals(
            read.with(name, RawJson.NULL),
            known.with(name, RawJson.NULL),
            () -> name + " in " + text);
        found += value == null ? 0 : 1;
      }
    }
    assertTrue(found > OBJECTS, "members found: " + found);
  }

  @Test
  void the_params_of_a_message_are_known_and_no_other_object() throws Exception {
    for (int i = 0; i < OBJECTS; i++) {
      List<String> members = new ArrayList<>();
      members.add("\"jsonrpc\":\"2.0\"");
      members.add("\"id\":1");
      members.add("\"method\":\"tools/call\"");
      members.add("\"other\":" + object());
      members.add("\"empty\":{}");
      String params = random.nextInt(8) == 0 ? "{}" : object();
      members.add(random.nextInt(members.size() + 1), "\"params\":" + params);
      byte[] bytes = ("{" + String.join(",", members) + "}").getBytes(StandardCharsets.UTF_8);
      Envelope message = Envelope.received(bytes, 0, bytes.length, ParseLimits.DEFAULT);
      RawJson whole = RawJson.slice(bytes, 0, bytes.length);
      for (String name : List.of("id", "other", "empty", "params", "result", "name")) {
        assertEquals(whole.member(name), message.text().member(name), () -> name + ", " + whole);
      }
      RawJson known = message.params();
      RawJson read = RawJson.slice(known.array(), known.offset(), known.length());
      for (String name : NAMES) {
        assertEquals(read.member(name), known.member(name), () -> name + " in " + params);
      }
    }
  }

  @Test
  void an_object_with_no_member_or_with_many_is_read() throws Exception {
    StringBuilder many = new StringBuilder("{\"first\":0");
    for (int i = 1; i < 40; i++) {
      many.append(",\"m").append(i).append("\":").append(i);
    }
    RawJson wide =
        RawJson.checkedObject(Buffer.buffer(many.append('}').toString()), ParseLimits.DEFAULT);
    for (int i = 1; i < 40; i++) {
      assertEquals(RawJson.of(Integer.toString(i)), wide.member("m" + i));
    }
    assertNull(wide.member("m40"));
    RawJson empty = RawJson.checkedObject(Buffer.buffer(" { } "), ParseLimits.DEFAULT);
    assertNull(empty.member("name"));
    assertNull(empty.with("name", RawJson.NULL).member("name"));
    assertEquals(Set.of("name"), empty.with("name", RawJson.NULL).members().keySet());
  }

  @Test
  void of_two_members_of_one_name_the_first_is_found() {
    RawJson twice = RawJson.of("{\"a\":1,\"b\":2,\"a\":3}");
    assertEquals(RawJson.of("1"), twice.member("a"));
    assertEquals(RawJson.of("1"), twice.indexed().member("a"));
    assertEquals(RawJson.of("[1]"), RawJson.of("[1]").indexed());
  }

  private String object() {
    List<String> left = new ArrayList<>(NAMES);
    StringBuilder text = new StringBuilder("{").append(blank());
    int members = random.nextInt(6);
    for (int i = 0; i < members; i++) {
      String name = left.remove(random.nextInt(left.size()));
      text.append(i == 0 ? "" : ",").append(blank()).append(written(name)).append(blank());
      text.append(':').append(blank()).append(VALUES.get(random.nextInt(VALUES.size())));
      text.append(blank());
    }
    return text.append('}').toString();
  }

  private String blank() {
    return BLANKS.get(random.nextInt(BLANKS.size()));
  }

  /** Sometimes with unnecessary escapes. */
  private String written(String name) {
    boolean escaped = random.nextInt(4) == 0;
    StringBuilder text = new StringBuilder("\"");
    for (String sign : name.codePoints().mapToObj(Character::toString).toList()) {
      char c = sign.charAt(0);
      boolean must = c < 0x20 || c == '"' || c == '\\';
      if (must || (escaped && random.nextBoolean())) {
        sign.chars().forEach(unit -> text.append(String.format("\\u%04x", unit)));
      } else {
        text.append(sign);
      }
    }
    return text.append('"').toString();
  }
}
