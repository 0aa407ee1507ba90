package dev.mcpbus.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.Envelope;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.ProtocolException;
import dev.mcpbus.testing.Fuzz;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The item that a request is decided on is the only one that any server can read in it. */
class OperationTableFuzzTest {

  private static final List<String> ASKING =
      List.of(Methods.TOOLS_CALL, Methods.RESOURCES_READ, Methods.COMPLETE);

  /** What a server reads that ignores letter case and takes the last member. */
  private static @Nullable Object loose(JsonObject params, String name) {
    Object found = null;
    for (String member : params.fieldNames()) {
      int nul = member.indexOf('\0');
      if ((nul < 0 ? member : member.substring(0, nul)).equalsIgnoreCase(name)) {
        found = params.getValue(member);
      }
    }
    return found;
  }

  @Test
  void a_server_reads_the_same_item_that_was_decided_on() {
    AtomicInteger named = new AtomicInteger();
    Fuzz.run(
        30_000,
        random -> {
          byte[] bytes = Fuzz.bytes(random, Fuzz.message(random));
          Envelope message;
          try {
            message = Envelope.parse(bytes, 0, bytes.length, ParseLimits.DEFAULT);
          } catch (ProtocolException refused) {
            return;
          }
          if (message.kind() != Envelope.Kind.REQUEST || !ASKING.contains(message.method())) {
            return;
          }
          Operation wanted = OperationTable.of("a", message.method(), message.params());
          JsonObject theirs =
              new JsonObject(message.text().toBuffer()).getJsonObject("params", new JsonObject());
          @Nullable Object item =
              switch (message.method()) {
                case Methods.TOOLS_CALL -> loose(theirs, "name");
                case Methods.RESOURCES_READ -> loose(theirs, "uri");
                default -> referred(loose(theirs, "ref"));
              };
          if (wanted.scope() == Operation.Scope.NAMED) {
            named.incrementAndGet();
            assertThat(item).isEqualTo(wanted.item());
          } else {
            assertThat(item)
                .isNotEqualTo("delete_all")
                .satisfiesAnyOf(
                    none -> assertThat(none).isNull(),
                    odd -> assertThat(odd).isNotInstanceOf(String.class),
                    empty -> assertThat(empty).isEqualTo(""));
          }
        });
    assertThat(named.get()).isGreaterThan(100);
  }

  private static @Nullable Object referred(@Nullable Object ref) {
    if (!(ref instanceof JsonObject object)) {
      return null;
    }
    Object type = loose(object, "type");
    return "ref/prompt".equals(type)
        ? loose(object, "name")
        : "ref/resource".equals(type) ? loose(object, "uri") : null;
  }
}
