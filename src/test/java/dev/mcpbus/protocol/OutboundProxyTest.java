package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which proxy is used for a URL. */
class OutboundProxyTest {

  private static final String SECRET = "canary";

  private static String proxy(String url, Map<String, String> variables) {
    return shown(OutboundProxy.of(URI.create(url), null, variables::get, name -> null));
  }

  private static String shown(@Nullable OutboundProxy proxy) {
    return proxy == null ? "direct" : proxy.toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "http://far.example/mcp  | HTTP_PROXY=http://p:3128 | http://p:3128 (HTTP_PROXY)",
        "http://far.example/mcp  | http_proxy=http://p:3128 | http://p:3128 (http_proxy)",
        "https://far.example/mcp | HTTPS_PROXY=http://p:3128 | http://p:3128 (HTTPS_PROXY)",
        "https://far.example/mcp | https_proxy=http://p:3128 | http://p:3128 (https_proxy)",
        "https://far.example/mcp | HTTP_PROXY=http://p:3128 | direct",
        "http://far.example/mcp  | HTTPS_PROXY=http://p:3128 | direct",
        "http://far.example/mcp  | ALL_PROXY=socks5://p | socks5://p:1080 (ALL_PROXY)",
        "https://far.example/mcp | all_proxy=socks5h://p:9 | socks5://p:9 (all_proxy)",
        "https://far.example/mcp | HTTPS_PROXY=http://p ALL_PROXY=http://q"
            + " | http://p:80 (HTTPS_PROXY)",
        "https://far.example/mcp | HTTPS_PROXY=http://p https_proxy=http://q"
            + " | http://q:80 (https_proxy)",
        "https://far.example/mcp | HTTPS_PROXY=p.corp:8080 | http://p.corp:8080 (HTTPS_PROXY)",
        "https://far.example/mcp | HTTPS_PROXY=http://[::1]:8 | http://[::1]:8 (HTTPS_PROXY)",
        "https://far.example/mcp | HTTPS_PROXY=socks4a://p | socks4://p:1080 (HTTPS_PROXY)",
        "http://my_server:8000/  | HTTP_PROXY=http://my_proxy:3128"
            + " | http://my_proxy:3128 (HTTP_PROXY)",
        "unix:///run/x.sock      | ALL_PROXY=http://p | direct",
        "tcp://far.example:7     | ALL_PROXY=http://p | direct",
      })
  void the_environment_names_it_as_for_curl(String url, String variables, String wanted) {
    Map<String, String> all = new HashMap<>(Map.of("https_proxy", ""));
    for (String each : variables.split(" ", -1)) {
      all.put(each.substring(0, each.indexOf('=')), each.substring(each.indexOf('=') + 1));
    }
    assertThat(proxy(url, all)).isEqualTo(wanted);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://localhost/", "http://a.localhost:9/", "http://127.0.0.1/", "http://127.9.9.9/",
        "http://[::1]:80/", "http://[::ffff:127.0.0.1]/", "http://0.0.0.0:1/", "http://LOCALHOST./",
      })
  void this_machine_is_reached_directly(String url) {
    assertThat(proxy(url, Map.of("http_proxy", "http://p"))).isEqualTo("direct");
    assertThat(OutboundProxy.of(URI.create(url), Sensitive.of("http://p"))).isNotNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "http://far.example/ | far.example | direct",
        "http://FAR.example/ | Far.Example. | direct",
        "http://far.example/ | example | direct",
        "http://far.example/ | .example | direct",
        "http://far.example/ | *.example | direct",
        "http://far.example/ | .far.example | direct",
        "http://far.example/ | ar.example | p",
        "http://far.example.org/ | far.example | p",
        "http://far.example/ | a.test, far.example b.test | direct",
        "http://far.example/ | * | direct",
        "http://far.example/ | '' | p",
        "http://far.example/ | , . , *. | p",
        "http://far.example:81/ | far.example:81 | direct",
        "http://far.example:81/ | far.example:80 | p",
        "http://far.example/ | far.example:80 | direct",
        "http://far.example/ | http://far.example | direct",
        "http://10.1.2.3/ | 10.1.2.3 | direct",
        "http://10.1.2.3/ | 10.0.0.0/8 | direct",
        "http://10.1.2.3/ | 10.1.2.0/23 | direct",
        "http://10.1.4.3/ | 10.1.2.0/23 | p",
        "http://10.1.2.3/ | 10.1.2.3/32 | direct",
        "http://10.1.2.3/ | 0.0.0.0/0 | direct",
        "http://10.1.2.3/ | 10.1.* | direct",
        "http://10.1.2.3/ | 2.3 | p",
        "http://10.1.2.3/ | 10.*.*.* | direct",
        "http://110.1.2.3/ | 10.*.*.* | p",
        "http://far.example/ | *ar.* | direct",
        "http://far.example/ | *.example.* | p",
        "http://my_server:8000/ | my_server | direct",
        "http://10.1.2.3/ | 10.0.0.0/99 | p",
        "http://10.1.2.3/ | 10.0.0.0/x | p",
        "http://[2001:db8::1]/ | 2001:db8::1 | direct",
        "http://[2001:db8::1]/ | [2001:DB8:0::1] | direct",
        "http://[2001:db8::1]:81/ | [2001:db8::1]:81 | direct",
        "http://[2001:db8::1]:81/ | [2001:db8::1]:82 | p",
        "http://[2001:db8::1]/ | 2001:db8::/32 | direct",
        "http://[2001:db8::1]/ | 10.0.0.0/8 | p",
      })
  void no_proxy_leaves_hosts_out(String url, String list, String wanted) {
    for (String name : new String[] {"NO_PROXY", "no_proxy"}) {
      String found = proxy(url, Map.of("HTTP_PROXY", "http://p:1", name, list));
      assertThat(found).isEqualTo(wanted.equals("p") ? "http://p:1 (HTTP_PROXY)" : wanted);
    }
  }

  @Test
  void the_entry_decides_before_the_environment() {
    Map<String, String> all = Map.of("https_proxy", "http://p", "no_proxy", "*");
    URI url = URI.create("https://far.example/mcp");
    for (String none : new String[] {"none", "direct", " NONE ", "false"}) {
      assertThat(OutboundProxy.of(url, Sensitive.of(none), all::get, name -> null)).isNull();
    }
    assertThat(shown(OutboundProxy.of(url, Sensitive.of("q:7"), all::get, name -> null)))
        .isEqualTo("http://q:7 (\"proxy\" of the entry)");
  }

  @Test
  void the_properties_of_java_count_where_no_variable_is_set() {
    Map<String, String> properties = new HashMap<>();
    properties.put("https.proxyHost", "p");
    properties.put("https.proxyPort", "3128");
    properties.put("http.nonProxyHosts", "*.corp.example|10.*");
    URI far = URI.create("https://far.example/");
    assertThat(shown(OutboundProxy.of(far, null, name -> null, properties::get)))
        .isEqualTo("http://p:3128 (-Dhttps.proxyHost)");
    assertThat(
            OutboundProxy.of(
                URI.create("https://a.corp.example/"), null, n -> null, properties::get))
        .isNull();
    properties.remove("https.proxyHost");
    properties.put("socksProxyHost", "::1");
    assertThat(shown(OutboundProxy.of(far, null, name -> null, properties::get)))
        .isEqualTo("socks5://[::1]:1080 (-DsocksProxyHost)");
  }

  @Test
  void user_and_password_are_decoded_and_never_shown() {
    OutboundProxy proxy =
        Objects.requireNonNull(
            OutboundProxy.check(Sensitive.of("http://a%40b:" + SECRET + "%2F+@p:1")));
    assertThat(proxy.user()).isEqualTo(Sensitive.of("a@b"));
    assertThat(proxy.password()).isEqualTo(Sensitive.of(SECRET + "/+"));
    assertThat(proxy.toString()).doesNotContain(SECRET).doesNotContain("a@b");
    OutboundProxy alone = Objects.requireNonNull(OutboundProxy.check(Sensitive.of("http://a@p:1")));
    assertThat(alone.password().reveal()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "http://CORP\\me:canary@p:1, CORP\\me, canary",
    "http://me:c@n:ary@p:1, me, c@n:ary",
    "http://me:100%@p:1, me, 100%",
    "http://me:a%zzb%40@p:1, me, a%zzb@",
    "http://me@corp.example:x@p:1, me@corp.example, x"
  })
  void user_and_password_may_be_written_as_curl_reads_them(
      String url, String user, String password) {
    OutboundProxy proxy = Objects.requireNonNull(OutboundProxy.check(Sensitive.of(url)));
    assertThat(proxy.host() + ":" + proxy.port()).isEqualTo("p:1");
    assertThat(proxy.user()).isEqualTo(Sensitive.of(user));
    assertThat(proxy.password()).isEqualTo(Sensitive.of(password));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://u:canary@p:1", "ftp://u:canary@p", "http://u:canary@", "http://u:can ary@p",
        "http://u:canary@p:99999", "http://u:canary@p:0", "http://u:c#ary@p", "http://u:c/ary@p",
        "://canary",
      })
  void what_is_no_usable_url_is_refused_without_quoting_it(String text) {
    assertThatThrownBy(() -> OutboundProxy.check(Sensitive.of(text)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("proxy")
        .hasMessageNotContaining("ary");
  }
}
