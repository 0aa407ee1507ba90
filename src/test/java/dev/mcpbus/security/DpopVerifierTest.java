package dev.mcpbus.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class DpopVerifierTest {

  @Test
  void urls_are_compared_in_one_form_and_what_is_none_is_like_no_other() {
    String place = DpopVerifier.place("https://mcp.example/mcp");
    for (String same :
        List.of(
            "HTTPS://MCP.example:443/mcp",
            "https://mcp.example/mcp?a=b",
            "https://mcp.example/mcp#f")) {
      assertThat(DpopVerifier.place(same)).as(same).isEqualTo(place);
    }
    for (String other :
        List.of(
            "https://mcp.example/mcp/",
            "https://mcp.example/MCP",
            "https://mcp.example/%6dcp",
            "https://mcp.example./mcp",
            "https://mcp.example:80/mcp",
            "http://mcp.example:443/mcp",
            "https://mcp.example/x/../mcp")) {
      assertThat(DpopVerifier.place(other)).as(other).isNotEmpty().isNotEqualTo(place);
    }
    for (String none :
        List.of(
            "",
            "/mcp",
            "mcp.example/mcp",
            "https:///mcp",
            "https:mcp",
            "https://u@mcp.example/mcp",
            "https://mcp.example/a|b",
            "ftp://mcp.example/mcp",
            "https://mcp.example /mcp")) {
      assertThat(DpopVerifier.place(none)).as(none).isEmpty();
    }
    assertThat(DpopVerifier.place("http://[::1]:80"))
        .isEqualTo(DpopVerifier.place("http://[::1]/"))
        .isNotEmpty();
  }
}
