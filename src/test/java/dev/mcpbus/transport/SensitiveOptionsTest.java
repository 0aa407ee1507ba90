package dev.mcpbus.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.DpopMode;
import dev.mcpbus.protocol.IdentityProvider;
import dev.mcpbus.protocol.OAuthGrant;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.protocol.WorkloadIdentity;
import dev.mcpbus.transport.Authenticator.Challenge;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * No line of a log that prints options, or a part of them, shows what an entry or a variable said.
 */
class SensitiveOptionsTest {

  private static final String CANARY = "canary";
  private static final String URL = "https://h/canary-path/mcp?key=canary-query";

  private static final OAuthOptions OAUTH =
      new OAuthOptions(
          OAuthGrant.ID_JAG,
          "id",
          Sensitive.of("canary-client"),
          null,
          List.of(),
          null,
          null,
          OAuthOptions.ANY_LOOPBACK_PORT,
          null,
          null,
          new IdentityProvider(
              URI.create("https://idp/token"),
              "id",
              Sensitive.of("canary-idp"),
              Sensitive.of("canary-subject"),
              null,
              "id_token"),
          new WorkloadIdentity(Sensitive.of("canary-workload"), null),
          DpopMode.AUTO,
          null,
          null);

  private static final HttpOptions HTTP =
      RecordCopy.with(
          RecordCopy.with(
              RecordCopy.with(
                  HttpOptions.of(URI.create(URL)),
                  "headers",
                  Sensitive.values(Map.of("Authorization", "Bearer canary-header"))),
              "headersHelper",
              Sensitive.of("print canary-helper")),
          "oauth",
          OAUTH);

  private static final StdioOptions STDIO =
      RecordCopy.with(
          RecordCopy.with(
              StdioOptions.of("/opt/canary-command", List.of("--token", "canary-arg")),
              "env",
              Sensitive.values(Map.of("TOKEN", "canary-env"))),
          "cwd",
          Sensitive.of(Path.of("/srv/canary-cwd").toString()));

  static Stream<Record> options() {
    return Stream.of(
        STDIO,
        HTTP,
        new SseOptions(HTTP),
        SocketOptions.of(URI.create("unix:///run/canary.sock")),
        new BusOptions("canary-address"),
        new Challenge(401, null, HTTP.headers()));
  }

  @ParameterizedTest
  @MethodSource("options")
  void neither_the_options_nor_any_part_of_them_prints_what_they_hold(Record options)
      throws ReflectiveOperationException {
    StringBuilder printed = new StringBuilder();
    print(options, printed);
    assertThat(printed).contains("***").doesNotContain(CANARY);
  }

  /** Itself, each of its components, and each component of those that are records. */
  private static void print(Record options, StringBuilder printed)
      throws ReflectiveOperationException {
    printed.append(options).append('\n');
    for (RecordComponent component : options.getClass().getRecordComponents()) {
      Method accessor = component.getAccessor();
      accessor.setAccessible(true);
      Object value = accessor.invoke(options);
      printed.append(component.getName()).append(": ").append(value).append('\n');
      if (value instanceof Record inner) {
        print(inner, printed);
      }
    }
  }

  @Test
  void names_of_variables_and_headers_are_shown() {
    assertThat(STDIO.toString()).contains("args=[***, ***]", "env={TOKEN=***}");
    assertThat(HTTP.toString()).contains("headers={Authorization=***}");
  }

  @Test
  void what_is_taken_out_of_texts_is_every_value_but_the_url_and_the_arguments() {
    assertThat(STDIO.secrets()).extracting(Sensitive::reveal).containsExactly("canary-env");
    assertThat(HTTP.secrets())
        .extracting(Sensitive::reveal)
        .containsExactlyInAnyOrder(
            "Bearer canary-header",
            "canary-client",
            "canary-idp",
            "canary-subject",
            "canary-workload");
  }

  @Test
  void options_of_the_same_texts_are_the_same_and_of_others_are_not() {
    assertThat(STDIO)
        .isEqualTo(RecordCopy.with(STDIO, "env", Sensitive.values(Map.of("TOKEN", "canary-env"))))
        .isNotEqualTo(
            RecordCopy.with(STDIO, "env", Sensitive.values(Map.of("TOKEN", "canary-other"))));
    assertThat(HTTP)
        .isEqualTo(
            RecordCopy.with(
                HTTP, "headers", Sensitive.values(Map.of("Authorization", "Bearer canary-header"))))
        .isNotEqualTo(
            RecordCopy.with(
                HTTP, "headers", Sensitive.values(Map.of("Authorization", "Bearer canary-other"))));
  }

  @Test
  void files_for_tls_are_not_named() {
    TlsOptions tls = new TlsOptions(Path.of("/canary/ca"), Path.of("/canary/c"), Path.of("/k"));
    assertThat(Objects.toString(RecordCopy.with(HTTP, "tls", tls)))
        .contains("tls[")
        .doesNotContain(CANARY);
  }
}
