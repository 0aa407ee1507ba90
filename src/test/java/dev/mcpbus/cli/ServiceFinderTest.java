package dev.mcpbus.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.mcpbus.security.AdminTokenFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where a command finds its mcpbus and the key for it. */
class ServiceFinderTest {

  private static final String TOKEN = "mcpbus_" + "a".repeat(43);

  @TempDir private Path folder;
  private final Map<String, String> variables = new HashMap<>();
  private final ServiceOptions options = new ServiceOptions();

  private ServiceClient find() {
    return find(false);
  }

  private ServiceClient find(boolean start) {
    return new ServiceFinder(context(), options).find(start);
  }

  private CommandContext context() {
    variables.put(AdminTokenFile.FOLDER_VARIABLE, folder.resolve("admin").toString());
    return CommandRun.context(
        folder, variables, "", new ByteArrayOutputStream(), new ByteArrayOutputStream(), List.of());
  }

  private void token(int port) throws IOException {
    variables.put(AdminTokenFile.FOLDER_VARIABLE, folder.resolve("admin").toString());
    AdminTokenFile.of(port, variables).write(TOKEN);
  }

  @Test
  void the_option_comes_before_the_variable() {
    variables.put("MCPBUS_URL", "http://127.0.0.1:2");
    assertThat(find().url()).hasToString("http://127.0.0.1:2");
    options.url = "http://127.0.0.1:1/";
    assertThat(find().url()).hasToString("http://127.0.0.1:1");
  }

  @Test
  void the_configuration_names_the_port_on_this_machine() throws IOException {
    try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      int port = listening.getLocalPort();
      options.config =
          Files.writeString(
              folder.resolve("a.json"),
              "{\"bridge\": {\"port\": " + port + "}, \"mcpServers\": {}}");
      token(port);
      assertThat(find().url()).hasPort(port);
      assertThat(find().key()).isEqualTo(TOKEN);
    }
  }

  @Test
  void a_mcpbus_with_another_file_is_not_the_one_that_is_meant() throws IOException {
    HttpServer other =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
    other.createContext(
        "/api/config",
        exchange -> {
          byte[] answer = "{\"file\": \"/elsewhere/mcpbus.json\"}".getBytes(UTF_8);
          exchange.sendResponseHeaders(200, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    other.start();
    try {
      int port = other.getAddress().getPort();
      options.config =
          Files.writeString(
              folder.resolve("a.json"),
              "{\"bridge\": {\"port\": " + port + "}, \"mcpServers\": {}}");
      assertThat(find().url()).as("a command that needs a running one").hasPort(port);
      assertThatThrownBy(() -> find(true)).hasMessage("a service is wanted");
    } finally {
      other.stop(0);
    }
  }

  @Test
  void where_nothing_listens_the_error_says_how_to_start_it() throws IOException {
    int port;
    try (ServerSocket closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = closed.getLocalPort();
    }
    options.config =
        Files.writeString(
            folder.resolve("a.json"), "{\"bridge\": {\"port\": " + port + "}, \"mcpServers\": {}}");
    assertThatThrownBy(this::find)
        .hasMessageContaining("no mcpbus runs at http://127.0.0.1:" + port)
        .hasMessageContaining("mcpbus run")
        .satisfies(e -> assertThat(((CommandFailure) e).exit()).isEqualTo(ExitCode.UNREACHABLE));
  }

  @Test
  void a_key_comes_from_the_file_then_the_variable_then_the_admin_file() throws IOException {
    options.url = "http://localhost:7";
    assertThat(find().key()).isNull();
    token(7);
    assertThat(find().key()).isEqualTo(TOKEN);
    variables.put("MCPBUS_KEY", "from-variable");
    assertThat(find().key()).isEqualTo("from-variable");
    options.keyFile = Files.writeString(folder.resolve("key"), "from-file\n");
    assertThat(find().key()).isEqualTo("from-file");
  }

  /** Who has signed in explicitly acts as himself, not with the admin key of the machine. */
  @Test
  void a_sign_in_comes_after_the_variable_and_before_the_admin_file() throws IOException {
    token(7);
    options.url = "http://localhost:7";
    Instant later = Instant.now().plus(Duration.ofHours(1));
    new KeptSignIn(folder, URI.create(options.url), Instant::now)
        .keep(new KeptTokens("me", "/token", "/revoke", "from-sign-in", "refresh", later));
    assertThat(find().key()).isEqualTo("from-sign-in");
    options.url = "http://127.0.0.1:7";
    assertThat(find().key()).as("another origin").isEqualTo(TOKEN);
    options.url = "http://LOCALHOST:7";
    variables.put("MCPBUS_KEY", "from-variable");
    assertThat(find().key()).isEqualTo("from-variable");
    variables.put("MCPBUS_URL", "http://other.example");
    assertThat(find().key()).as("the variable is for another host").isEqualTo("from-sign-in");
    options.keyFile = Files.writeString(folder.resolve("key"), "from-file\n");
    assertThat(find().key()).isEqualTo("from-file");
  }

  @Test
  void the_admin_key_of_this_machine_goes_to_this_machine_alone() throws IOException {
    token(7);
    options.url = "http://other.example:7";
    assertThat(find().key()).isNull();
    options.url = "http://127.0.0.1.other.example:7";
    assertThat(find().key()).isNull();
  }

  @Test
  void a_url_that_is_none_and_a_file_without_a_key_are_wrong_usage() throws IOException {
    options.keyFile = Files.writeString(folder.resolve("key"), "two words\n");
    options.url = "http://127.0.0.1:7";
    assertThatThrownBy(this::find).hasMessageContaining("must hold the key alone");
    for (String wrong :
        List.of(
            "127.0.0.1:7",
            "ftp://a",
            "http://",
            "http://u:p@a",
            "http://a?x",
            "http://a#x",
            "http://a/#")) {
      options.url = wrong;
      assertThatThrownBy(this::find).hasMessageContaining("http://HOST:PORT");
    }
  }

  @Test
  void the_key_of_a_url_in_a_variable_goes_to_no_other_host() throws IOException {
    variables.put("MCPBUS_KEY", "from-variable");
    options.url = "https://a.example";
    assertThat(find().key()).as("the command line names the only URL").isEqualTo("from-variable");
    variables.put("MCPBUS_URL", "https://a.example:443/");
    assertThat(find().key()).as("the same origin").isEqualTo("from-variable");
    for (String other :
        List.of(
            "http://a.example",
            "https://a.example:444",
            "https://b.example",
            "http://127.0.0.1:1")) {
      options.url = other;
      assertThat(find().key()).as(other).isNull();
    }
    options.keyFile = Files.writeString(folder.resolve("key"), "from-file\n");
    assertThat(find().key()).isEqualTo("from-file");
  }

  @Test
  void a_configuration_names_no_mcpbus_on_another_machine() throws IOException {
    variables.put("MCPBUS_KEY", "from-variable");
    for (String host :
        List.of("evil.example", "192.0.2.1", "127.0.0.1.evil.example", "2001:db8::1")) {
      options.config =
          Files.writeString(
              folder.resolve("a.json"),
              "{\"auth\": {\"apiKeys\": [{\"name\": \"a\", \"hash\": \"sha256:"
                  + "a".repeat(64)
                  + "\"}]}, \"bridge\": {\"port\": 8790, \"host\": \""
                  + host
                  + "\", \"allowedHosts\": [\"x\"]}, \"mcpServers\": {}}");
      assertThatThrownBy(this::find)
          .as(host)
          .hasMessageContaining("no address of this machine")
          .hasMessageContaining("--url");
    }
  }

  @Test
  void a_path_is_refused_with_the_url_to_use_but_where_an_endpoint_is_meant() {
    for (String wrong : List.of("https://A.example:444/mcp", "https://a.example:444/x/")) {
      options.url = wrong;
      assertThatThrownBy(this::find).hasMessageContaining("use https://a.example:444, without /");
      assertThatThrownBy(() -> new ServiceFinder(context(), options).withoutKey())
          .hasMessageContaining("use https://a.example:444, without /");
    }
    options.url = "https://a.example/mcp/git";
    assertThat(new ServiceFinder(context(), options, true).find(false).url())
        .hasToString(options.url);
    options.url = null;
    variables.put("MCPBUS_URL", "https://a.example/mcp");
    assertThatThrownBy(this::find).hasMessageContaining("use https://a.example, without /mcp");
  }
}
