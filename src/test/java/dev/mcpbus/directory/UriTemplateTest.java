package dev.mcpbus.directory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UriTemplateTest {

  @ParameterizedTest
  @CsvSource({
    "a://{x}/b,a://1/b,true",
    "a://{x}/b,a://1/2/b,true",
    "a://{x}/b,a://1/c,false",
    "a://{x}/b/{y}/c,a://1/b/2/c,true",
    "a://{x}/b/{y}/c,a://1/2/c,false",
    "a://{x}bb,a://bb,true",
    "a://b{x}b,a://b,false",
    "a://{x}aab{y},a://1aaaab2,true",
    "a://{x}abab{y}ac,a://ababababac,true",
    "a://{x}abac{y},a://abababab,false",
    "{+x},anything,true",
    "a://x,a://x,true",
    "a://x,a://xy,false",
    "a://{x,a://{x,true",
  })
  void a_template_matches_what_it_may_expand_to(String template, String uri, boolean matches) {
    assertThat(new UriTemplate(template).matches(uri)).isEqualTo(matches);
    assertThat(new UriTemplate(template).overlaps(new UriTemplate(uri))).isEqualTo(matches);
  }

  @ParameterizedTest
  @CsvSource({
    "file:///{x},file:///{+path},true",
    "file:///{x},file:///docs/{y},true",
    "a://x/{x}/1,a://x/{y}/2,false",
    "a://x/{x},a://y/{x},false",
    "{+x},a://y/{x},true",
  })
  void templates_overlap_where_one_uri_may_come_from_both(
      String one, String other, boolean overlaps) {
    assertThat(new UriTemplate(one).overlaps(new UriTemplate(other))).isEqualTo(overlaps);
    assertThat(new UriTemplate(other).overlaps(new UriTemplate(one))).isEqualTo(overlaps);
  }
}
