package dev.mcpbus.transport.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.protocol.Sensitive;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where a redirect leads. */
class HttpEndpointTest {

  @ParameterizedTest
  @CsvSource({
    "https://h/mcp, http://h/mcp/?a=b, https://h:443/mcp/, true",
    "https://h/mcp, HTTP://H/mcp/, https://H:443/mcp/, true",
    "https://h:8443/mcp, http://h:8443/mcp/, https://h:8443/mcp/, true",
    "https://h:8443/mcp, http://h/mcp/, http://h:80/mcp/, false",
    "https://h/mcp, http://other/mcp/, http://other:80/mcp/, false",
    "https://h/mcp, http://h:81/mcp/, http://h:81/mcp/, false",
    "https://h/mcp, /mcp/, https://h:443/mcp/, true",
    "http://h/mcp, http://h/mcp/, http://h:80/mcp/, true",
    "http://h/mcp, https://h/mcp/, https://h:443/mcp/, false",
    "http://my_server:8000/mcp, mcp/, http://my_server:8000/mcp/, true",
    "http://my_server:8000/mcp, http://my_server:8000/, http://my_server:8000/, true",
  })
  void a_redirect_of_https_to_its_own_http_means_https(
      String from, String location, String target, boolean same) {
    HttpEndpoint here = HttpEndpoint.of(Sensitive.of(from));
    HttpEndpoint there = here.resolve(location);
    assertThat(there).hasToString(target);
    assertThat(there != null && here.sameOrigin(there)).isEqualTo(same);
  }
}
