package dev.mcpbus.bus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.MultiMap;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is behind a message, and what he can name. */
class RequesterTest {

  private static final Requester ADA = new Requester("ada", false);
  private static final Requester BOB = new Requester("bob", false);
  private static final Requester ADMIN = new Requester("root", true);

  @ParameterizedTest
  @ValueSource(strings = {"ada", "jwt:a/b", "jwt:+x", "-", "", "a\nb", "jürgen %2f 100%", "a b"})
  void a_name_comes_back_as_it_was_and_fits_every_header(String name) {
    for (boolean admin : new boolean[] {true, false}) {
      Requester one = new Requester(name, admin);

      assertThat(one.text()).matches("[\\x21-\\x7E]+");
      assertThat(Requester.parse(one.text())).isEqualTo(one);
    }
  }

  @Test
  void a_message_without_a_principal_comes_from_a_program_on_the_bus() {
    assertThat(Requester.of(MultiMap.caseInsensitiveMultiMap())).isNull();
    assertThat(Requester.of(MultiMap.caseInsensitiveMultiMap().add("other", "x"))).isNull();
    assertThat(Requester.of(MultiMap.caseInsensitiveMultiMap().add("principal", "")))
        .isEqualTo(new Requester("", false));
    assertThat(Requester.parse("-100%")).isEqualTo(new Requester("100%", false));
  }

  @Test
  void only_the_owner_an_admin_and_a_program_on_the_bus_see_a_thing() {
    assertThat(Requester.sees(ADA, "ada")).isTrue();
    assertThat(Requester.sees(BOB, "ada")).isFalse();
    assertThat(Requester.sees(BOB, null)).isFalse();
    assertThat(Requester.sees(ADMIN, "ada")).isTrue();
    assertThat(Requester.sees(ADMIN, null)).isTrue();
    assertThat(Requester.sees(null, "ada")).isTrue();
  }

  @Test
  void a_principal_cannot_name_a_call_of_another_principal() {
    String call = ADA.callId("c-1");

    assertThat(BOB.callId("c-1")).isNotEqualTo(call);
    assertThat(BOB.callId(call)).isNotEqualTo(call);
    assertThat(new Requester("ada/x", false).callId("y"))
        .isNotEqualTo(ADA.callId("x/y"))
        .isNotEqualTo(new Requester("ada", false).callId("x/y"));
    assertThat(Requester.ownCallId(call)).isEqualTo("c-1");
    assertThat(Requester.ownCallId(ADA.callId("a/b"))).isEqualTo("a/b");
    assertThat(Requester.ownCallId("of-a-program")).isEqualTo("of-a-program");
  }

  @Test
  void an_admin_alone_can_cancel_for_others() {
    JsonObject body = new JsonObject().put("callId", "c-1").put("principal", "ada");

    assertThat(ADMIN.cancelling(body).getString("callId")).isEqualTo(ADA.callId("c-1"));
    assertThat(BOB.cancelling(body).getString("callId")).isEqualTo(BOB.callId("c-1"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "a\nb", "ü"})
  void a_name_of_a_call_is_visible_ascii(String wrong) {
    assertThatThrownBy(() -> ADA.callId(wrong)).hasMessageContaining("visible ASCII");
  }
}
