package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CanonicalJsonTest {

  private static String canonical(String json) {
    return CanonicalJson.of(RawJson.of(json));
  }

  /** The numbers of RFC 8785, appendix B, as far as they are the shortest text of their double. */
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "-0, 0",
    "-0.0, 0",
    "5e-324, 5e-324",
    "-5e-324, -5e-324",
    "1.7976931348623157e308, 1.7976931348623157e+308",
    "-1.7976931348623157e308, -1.7976931348623157e+308",
    "9007199254740992, 9007199254740992",
    "-9007199254740992, -9007199254740992",
    "295147905179352830000, 295147905179352830000",
    "9.999999999999997e22, 9.999999999999997e+22",
    "1e23, 1e+23",
    "1.0000000000000001e23, 1.0000000000000001e+23",
    "999999999999999700000, 999999999999999700000",
    "999999999999999900000, 999999999999999900000",
    "1e21, 1e+21",
    "1e20, 100000000000000000000",
    "9.999999999999997e-7, 9.999999999999997e-7",
    "0.000001, 0.000001",
    "0.0000001, 1e-7",
    "333333333.3333332, 333333333.3333332",
    "-0.0000033333333333333333, -0.0000033333333333333333",
    "4.50, 4.5",
    "2e-3, 0.002",
    "1E30, 1e+30",
    "0.000000000000000000000000001, 1e-27",
    "100, 100",
    "1e2, 100",
    "1.0, 1"
  })
  void a_number_is_written_as_ecmascript_does(String literal, String expected) {
    assertThat(canonical(literal)).isEqualTo(expected);
  }

  @Test
  void digits_that_a_double_would_round_away_still_make_a_difference() {
    assertThat(canonical("9007199254740993")).isNotEqualTo(canonical("9007199254740992"));
    assertThat(canonical("0.1000000000000000000001")).isNotEqualTo(canonical("0.1"));
    assertThat(canonical("1e400")).isEqualTo("1e+400").isNotEqualTo(canonical("1e401"));
    assertThat(canonical("1e99999999999")).isEqualTo("1e99999999999");
    assertThat(canonical("1e-2147483648")).isNotEmpty();
  }

  /** RFC 8785, section 3.2.3: order by UTF-16 units, not by code points. */
  @Test
  void members_are_sorted_by_utf_16_units() {
    String sorting =
        "{\"\\u20ac\":\"Euro Sign\",\"\\r\":\"Carriage Return\",\"\\ufb33\":\"Hebrew Letter Dalet"
            + " With Dagesh\",\"1\":\"One\",\"\\ud83d\\ude00\":\"Emoji: Grinning"
            + " Face\",\"\\u0080\":\"Control\",\"\\u00f6\":\"Latin Small Letter O With"
            + " Diaeresis\"}";
    assertThat(canonical(sorting))
        .isEqualTo(
            "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\","
                + "\"\u00f6\":\"Latin Small Letter O With Diaeresis\","
                + "\"\u20ac\":\"Euro Sign\",\"\ud83d\ude00\":\"Emoji: Grinning Face\","
                + "\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}");
  }

  /** RFC 8785, section 3.2.2, but for the number that a double rounds. */
  @Test
  void the_sample_of_the_rfc_comes_out_as_it_says() {
    String sample =
        """
        {
          "numbers": [1E30, 4.50, 2e-3, 0.000000000000000000000000001],
          "string": "\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\"\\/",
          "literals": [null, true, false]
        }
        """;
    assertThat(canonical(sample))
        .isEqualTo(
            "{\"literals\":[null,true,false],\"numbers\":[1e+30,4.5,0.002,1e-27],"
                + "\"string\":\"\u20ac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
  }

  @Test
  void blanks_and_escapes_make_no_difference_and_the_order_of_an_array_does() {
    assertThat(canonical(" { \"b\" : [ 1 , { } ] ,\n\"a\" : \"\\u0041\\/\" , \"c\": [ ] } "))
        .isEqualTo("{\"a\":\"A/\",\"b\":[1,{}],\"c\":[]}");
    assertThat(canonical("[1,2]")).isNotEqualTo(canonical("[2,1]"));
  }

  @Test
  void what_no_reader_agrees_on_stays_visible() {
    assertThat(canonical("{\"a\":1,\"a\":2}")).isEqualTo("{\"a\":1,\"a\":2}");
    assertThat(canonical("\"\\ud800x\\udc00\"")).isEqualTo("\"\\ud800x\\udc00\"");
  }

  @Test
  void deep_nesting_is_read_as_deep_as_a_configuration_can_allow() {
    String deep = "[".repeat(2_000) + "]".repeat(2_000);
    assertThat(canonical(deep)).isEqualTo(deep);
  }
}
