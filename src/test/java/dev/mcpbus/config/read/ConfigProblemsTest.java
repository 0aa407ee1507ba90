package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.protocol.Sensitive;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigProblemsTest {

  @TempDir Path directory;

  private List<String> json(String text) {
    Sample sample = Sample.in(directory);
    return sample.texts(sample.json(text));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'bridge': {'tls': {'cert': 'a'}} | unknown key \"bridge.tls.cert\"",
        "'bridge': {'tls': {'certfile': 'a', 'keyFile': 'b'}} | \"bridge.tls.certFile\"?",
        "'cluster': {'tls': {'cert': 'a'}} | unknown key \"cluster.tls.cert\"",
        "'cluster': {'tls': {'certFile': 1, 'keyFile': 'a', 'caFile': 'b'}} | must be a string",
        "'auth': {'apiKeys': [{'nam': 'a'}]} | unknown key \"auth.apiKeys[0].nam\"",
        "'auth': {'policies': [{'efect': 'deny'}]} | unknown key \"auth.policies[0].efect\"",
        "'auth': {'jwt': {'isuer': 'https://i.example', 'audience': ['a']}} | \"auth.jwt.isuer\"",
        "'auth': {'jwt': {'issuer': 'https://i.example', 'audiance': ['a']}} | \"auth.jwt.audiance\""
      })
  void a_misspelt_key_that_is_needed_is_one_problem(String section, String problem) {
    assertThat(json("{" + section.replace('\'', '"') + ", \"mcpServers\": {}}"))
        .singleElement()
        .asString()
        .contains(problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'tls': {'cert': 'a', 'keyFile': 'b'} | unknown key \"tls.cert\"",
        "'oauth': {'grant': 'client_credentials', 'clientId': 'a', 'clientSecrt': 'b'}"
            + " | \"oauth.clientSecret\"?",
        "'oauth': {'workloadIdentity': {'tokenfile': 'a'}} | \"oauth.workloadIdentity.tokenFile\"?",
        "'oauth': {'workloadIdentity': {'token': 5}} | must be a string",
        "'oauth': {'grant': 'id_jag', 'clientId': 'c', 'idJag': {'tokenEndpoint': 'x', 'clientId':"
            + " 'a', 'subjectToken': 'b'}} | is not an https URL"
      })
  void so_it_is_in_the_entry_of_a_server(String keys, String problem) {
    Sample sample = Sample.in(directory);
    assertThat(
            sample.texts(
                sample.server("\"url\": \"https://h.example/mcp\"", keys.replace('\'', '"'))))
        .singleElement()
        .asString()
        .contains(problem);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "\"comand\": \"x\", \"url\": \"http://h/\"|unknown key \"comand\". Did you mean"
            + " \"command\"?",
        "\"command\": \"x\", \"enviroment\": {}|unknown key \"enviroment\". Did you mean \"env",
        "\"command\": \"x\", \"retry\": 3|unknown key \"retry\". Did you mean \"restart\"?",
        "\"command\": \"x\", \"qqqqqq\": 1|unknown key \"qqqqqq\". Remove it; configuration.md"
            + " lists the keys, and an editor completes them from mcpbus.schema.json",
        "\"command\": \"x\", \"maxpend\": 1|unknown key \"maxpend\". Did you mean \"maxPending\"?",
        "\"command\": \"x\", \"timeouts\": 1|unknown key \"timeouts\". Did you mean \"timeout\"?",
        "\"command\": \"x\", \"Timeout_\": 1|unknown key \"Timeout_\". Did you mean \"timeout\"?",
        "\"command\": \"x\", \"limits\": {\"deep\": 1}|unknown key \"limits.deep\". Remove it;"
            + " known are maxDepth, maxMessageBytes, maxNumberLength",
        "\"url\": \"localhost:3000/mcp\"|the url does not begin with http:// or https://. Write"
            + " http://localhost:3000/mcp",
        "\"url\": \"127.0.0.1:3000\"|the url does not begin with http:// or https://. Write"
            + " http://127.0.0.1:3000",
        "\"url\": \"mcp.example.com/sse?key=canary\"|the url does not begin with http:// or https://."
            + " Write https://mcp.example.com/sse?***",
        "\"url\": \"http:/localhost:3000/mcp\"|the url does not begin with http:// or https://."
            + " Write http://localhost:3000/mcp",
        "\"url\": \"https//example.com\"|the url does not begin with http:// or https://. Write"
            + " https://example.com",
        "\"url\": \"${HOME_SET}.example.com/mcp\"|the url ",
        "\"url\": \"ws://h/mcp\"|the url is that of a WebSocket, which MCP does not use. Write"
            + " http:// and the path of MCP",
        "\"command\": \"x\", \"ping\": {\"intervall\": 1}|unknown key \"ping.intervall\". Did you"
            + " mean \"ping.interval\"?",
        "\"command\": 5|\"command\" must be a string, not a number. Put it in quotes",
        "\"command\": \" \"|\"command\" is empty. Name a program",
        "\"command\": \"a\\u0000b\"|\"command\" contains a NUL character. Remove it",
        "\"command\": \"x\", \"args\": \"-y\"|\"args\" must be a list of strings, not a string",
        "\"command\": \"x\", \"args\": [[1]]|\"args[0]\" must be a string, not a list. Put it in"
            + " quotes",
        "\"command\": \"x\", \"env\": [\"A\"]|\"env\" must be an object of strings, not a list",
        "\"command\": \"x\", \"env\": {\"A=B\": \"1\"}|\"A=B\" is not the name of a variable",
        "\"command\": \"x\", \"lazy\": \"yes\"|\"lazy\" must be true or false, not a string",
        "\"command\": \"x\", \"disabled\": \"true\"|\"disabled\" must be true or false, not a"
            + " string",
        "\"command\": \"x\", \"maxPending\": 0|\"maxPending\" is out of range. Give a number from 1"
            + " to 1000000",
        "\"urls\": [\"http://h/\", \"http://i/\"], \"replicas\": 2|\"urls\" give one connection each, so"
            + " \"replicas\" cannot stand beside them. Remove \"replicas\", or name a URL several times",
        "\"url\": \"http://h/\", \"sessionId\": \"a b\"|\"sessionId\" is not 1 to 4096 visible ASCII"
            + " characters. Give the Mcp-Session-Id that the server has sent, or remove it",
        "\"url\": \"http://h/\", \"streamHeaders\": {\"a b\": \"c\"}|\"a b\" is not the name of a header",
        "\"url\": \"http://h/\", \"reconnectionOptions\": {\"retries\": 1}|unknown key"
            + " \"reconnectionOptions\"",
        "\"address\": \"mcp.git.tools.call\"|\"address\" \"mcp.git.tools.call\" is one at which mcpbus"
            + " itself receives, and no server. Name the address at which the program",
        "\"address\": \"mcp.servers.add\"|\"address\" \"mcp.servers.add\" is one at which mcpbus itself",
        "\"urls\": []|\"urls\" names no URL. Name one for each instance",
        "\"urls\": \"http://h/\"|\"urls\" must be a list of strings, not a string. Write \"urls\":"
            + " [\"one\", \"two\"]",
        "\"urls\": [\"http://h/\", \"https://i/\"]|\"urls\" do not all begin with the same scheme. Use"
            + " http:// or https:// for all of them",
        "\"urls\": [\"tcp://h:1\", \"tcp://i:1\"]|\"urls\" are those of servers over HTTP, not of type"
            + " \"socket\". Give one \"url\"",
        "\"urls\": [\"http://h/\", \"i.example.com/mcp\"]|the url does not begin with http:// or https://."
            + " Write https://i.example.com/mcp",
        "\"url\": \"http://h/\", \"urls\": [\"http://i/\"]|\"url\" and \"urls\" cannot both be right",
        "\"url\": \"http://h/\", \"balance\": \"random\"|\"balance\" cannot be \"random\". Use one of"
            + " round-robin, least-pending, sticky",
        "\"url\": \"http://h/\", \"balanceKey\": \" \"|\"balanceKey\" is empty. Name a header, such as"
            + " principal",
        "\"url\": \"http://h/\", \"replicas\": 0|\"replicas\" is out of range. Give a number from"
            + " 1 to 100",
        "\"command\": \"x\", \"breaker\": \"on\"|\"breaker\" must be true, false or an object, not a"
            + " string. Write \"breaker\": true for a circuit breaker with all defaults",
        "\"command\": \"x\", \"breaker\": {\"minimumCalls\": 30}|\"breaker.minimumCalls\" is 30, but"
            + " only the last 20 calls count. Make \"minimumCalls\" at most as large as \"window\"",
        "\"command\": \"x\", \"breaker\": {\"failureRate\": 50}|\"breaker.failureRate\" is out of range."
            + " Give a number from 0.01 to 1",
        "\"command\": \"x\", \"breaker\": {\"openfor\": \"1s\"}|unknown key \"breaker.openfor\". Did you"
            + " mean \"breaker.openFor\"?",
        "\"command\": \"x\", \"breaker\": {\"openFor\": 0}|\"breaker.openFor\" must be more than zero",
        "\"command\": \"x\", \"maxPending\": 1.5|\"maxPending\" must be a whole number",
        "\"command\": \"x\", \"maxPending\": \"9\"|\"maxPending\" must be a number, not a string",
        "\"command\": \"x\", \"timeout\": \"soon\"|\"timeout\" is not a duration. Write milliseconds"
            + " as a number, or a text like \"30s\" or \"250ms\"",
        "\"command\": \"x\", \"timeout\": -1|\"timeout\" is not a duration",
        "\"command\": \"x\", \"timeout\": 0|\"timeout\" must be more than zero",
        "\"command\": \"x\", \"timeout\": 5, \"requestTimeout\": 6|\"timeout\" and"
            + " \"requestTimeout\" are the same",
        "\"command\": \"x\", \"timeout\": 50, \"maxCallDuration\": 6|\"maxCallDuration\" is shorter"
            + " than the request timeout",
        "\"command\": \"x\", \"validate\": \"sometimes\"|\"validate\" cannot be \"sometimes\". Use"
            + " one of auto, always, never",
        "\"command\": \"x\", \"rpcLog\": \"loud\"|\"rpcLog\" cannot be \"loud\". Use one of off,"
            + " on, bus",
        "\"command\": \"x\", \"pin\": \"yes\"|\"pin\" must be true, false or an object, not a"
            + " string",
        "\"command\": \"x\", \"pin\": {\"echo\": \"sha256-12\"}|\"pin.echo\" is not the hash of a"
            + " definition. Take it from mcp.<id>.tools.drift",
        "\"command\": \"x\", \"healthCheck\": {\"interval\": \"often\"}|"
            + "\"healthCheck.interval\" is not a duration",
        "\"command\": \"x\", \"limits\": 5|\"limits\" must be an object, not a number",
        "\"command\": \"x\", \"limits\": {\"maxDepth\": 1}|\"limits.maxDepth\" is out of range",
        "\"command\": \"x\", \"restart\": {\"backoff\": {\"initial\": 9, \"max\":"
            + " 5}}|\"restart.backoff.max\" is shorter than the first delay",
        "\"command\": \"x\", \"restart\": {\"backoff\": {\"jitter\": 2}}|\"restart.backoff.jitter\""
            + " is out of range. Give a number from 0 to 1",
        "\"command\": \"x\", \"url\": \"http://h/\"|\"command\" and \"url\" cannot both be right",
        "\"lazy\": true|the entry does not say how to reach the server. Give \"command\" for a program",
        "\"type\": \"stdio\"|type \"stdio\" needs \"command\". Add \"command\"",
        "\"type\": \"http\", \"address\": \"a\"|type \"http\" needs \"url\"",
        "\"type\": \"stdoi\", \"command\": \"x\"|unknown type \"stdoi\". Did you mean \"stdio\"?",
        "\"type\": \"stdio\", \"url\": \"http://h/\"|type \"stdio\" needs \"command\". Add"
            + " \"command\", or remove \"type\"",
        "\"type\": \"sse\"|type \"sse\" needs \"url\". Add \"url\"",
        "\"type\": \"sse\", \"url\": \"tcp://h:1\"|the url is that of a socket. Set \"type\": \"socket\"",
        "\"type\": \"tcp\", \"url\": \"http://h:1\"|the url is not that of a socket. Write tcp://host:port",
        "\"type\": \"unix\", \"url\": \"unix:///p.sock#/mcp\"|a path after # means HTTP over the socket",
        "\"url\": \"tcp://h\"|the url of a socket is host and port and no more. Write tcp://host:port",
        "\"url\": \"tls://u:p@h:1\"|the url of a socket is host and port and no more. Write tls://host:port",
        "\"url\": \"unix://p.sock\"|the url has no path of a socket. Write unix:///path.sock, with three slashes",
        "\"url\": \"unix://p.sock#/mcp\"|the url has no path of a socket",
        "\"url\": \"pipe:///pipe/x\"|named pipes (pipe:) are not supported. Use an http or a unix URL",
        "\"url\": \"http://h/${UNSET_ONE}/sse\"|the variable UNSET_ONE is not set",
        "\"url\": \"http://h/\", \"preferSSE\": \"yes\"|\"preferSSE\" must be true or false, not a string",
        "\"url\": \"ftp://h/\"|the url is neither http nor https",
        "\"url\": \"http://h:99999/\"|the url has no valid host and port",
        "\"url\": \"http://my_server:99999/\"|the url has no valid host and port",
        "\"url\": \"http://ada:canary@my_server/\"|the url has no valid host and port",
        "\"url\": \"http:///mcp\"|the url ",
        "\"url\": \"http://h/#x\"|the url has a fragment (#)",
        "\"url\": \"http://h/a b\"|the url is not well formed",
        "\"url\": \"http://h/\", \"headers\": {\"a b\": \"x\"}|\"a b\" is not the name of a header",
        "\"url\": \"http://h/\", \"headers\": {\"a\": \"x\\r"
            + "\\n"
            + "y\"}|the header \"a\" has a line break",
        "\"url\": \"http://u:p@h/\", \"headers\": {\"authorization\": \"x\"}|the url has a user and"
            + " the headers have Authorization",
        "\"url\": \"http://h/\", \"headersHelper\": \"\"|\"headersHelper\" is empty",
        "\"url\": \"http://h/\", \"oauth\": {\"issuer\": \"http://h/\"}|\"oauth.issuer\" is not"
            + " an https URL",
        "\"url\": \"http://h/\", \"oauth\": {\"issuer\": \"http:h\"}|\"oauth.issuer\" is not"
            + " an https URL",
        "\"url\": \"http://h/\", \"auth\": {}, \"oauth\": {}|\"oauth\" and \"auth\" mean the same",
        "\"url\": \"http://h/\", \"oauth\": {\"clientID\": \"x\"}|unknown key \"oauth.clientID\"."
            + " Did you mean \"oauth.clientId\"?",
        "\"url\": \"http://h/\", \"oauth\": {\"grant\": \"implicit\"}|\"oauth.grant\" cannot be"
            + " \"implicit\"",
        "\"url\": \"http://h/\", \"oauth\": {\"grant\": \"client_credentials\", \"clientId\":"
            + " \"x\"}|the grant client_credentials needs \"clientSecret\" or \"privateKey\"",
        "\"url\": \"http://h/\", \"oauth\": {\"grant\": \"id_jag\", \"clientId\": \"x\"}|the grant"
            + " id_jag needs \"idJag\"",
        "\"url\": \"http://h/\", \"oauth\": {\"grant\": \"workload_identity\"}|the grant"
            + " workload_identity needs \"workloadIdentity\"",
        "\"url\": \"http://h/\", \"oauth\": {\"workloadIdentity\": {}}|\"workloadIdentity\" needs"
            + " tokenFile, or token",
        "\"url\": \"http://h/\", \"oauth\": {\"workloadIdentity\": {\"token\": \"t\","
            + " \"tokenFile\": \"f\"}}|\"workloadIdentity\" needs tokenFile, or token",
        "\"url\": \"http://h/\", \"oauth\": {\"dpop\": \"maybe\"}|\"oauth.dpop\" cannot be"
            + " \"maybe\"",
        "\"url\": \"http://h/\", \"oauth\": {}, \"headersHelper\": \"x\"|OAuth cannot be combined with a headersHelper",
        "\"url\": \"http://h/\", \"oauth\": {}, \"headers\": {\"authorization\": \"x\"}|OAuth cannot be combined with a"
            + " headersHelper or an Authorization header",
        "\"url\": \"http://h/\", \"oauth\": {\"scopes\": [\"a\\\"b\"]}|\"oauth.scopes\" has an invalid"
            + " scope",
        "\"address\": \"\"|\"address\" is empty",
      })
  void a_mistake_of_one_server_is_one_problem_with_its_line(String body, String expected) {
    Sample sample = Sample.in(directory);
    List<String> texts =
        sample.texts(sample.json("{\"mcpServers\": {\n\n\"one\": {\n" + body + "\n}}}"));
    assertThat(texts)
        .singleElement()
        .asString()
        .startsWith("mcp.json:")
        .contains("server \"one\": " + expected);
    assertThat(texts.get(0)).matches("mcp\\.json:[34]: .*");
  }

  @Test
  void a_misspelt_way_to_the_server_is_one_problem() {
    assertThat(json("{\"mcpServers\": {\"a\": {\"comand\": \"x\"}}}"))
        .containsExactly(
            "mcp.json:1: server \"a\": unknown key \"comand\". Did you mean \"command\"?");
  }

  @Test
  void all_errors_are_in_one_report() {
    assertThat(
            json(
                """
                {
                  "bridge": {"port": 99999},
                  "supervisor": {"strategy": "all"},
                  "defalts": {},
                  "mcpServers": {
                    "a": {"comand": "x", "url": "http://h/"},
                    "b": {"command": "x", "args": ["${UNSET_ONE}"],
                      "timeout": "soon",
                      "lazy": 1},
                    "c": {"type": "sse", "url": "tcp://h:1"},
                    "d\\u202ee": {"command": "x"},
                    "f": {},
                    "g": [],
                    "G": {"url": "pipe:///x"}
                  }
                }
                """))
        .extracting(text -> text.replaceFirst("\\. .*", ""))
        .containsExactly(
            "mcp.json:2: \"bridge.port\" is out of range",
            "mcp.json:3: \"supervisor.strategy\" cannot be \"all\"",
            "mcp.json:4: unknown key \"defalts\"",
            "mcp.json:6: server \"a\": unknown key \"comand\"",
            "mcp.json:7: server \"b\": the variable UNSET_ONE is not set",
            "mcp.json:8: server \"b\": \"timeout\" is not a duration",
            "mcp.json:9: server \"b\": \"lazy\" must be true or false, not a number",
            "mcp.json:10: server \"c\": the url is that of a socket",
            "mcp.json:11: server \"d\\u202ee\": the name has characters that nobody sees: U+202E"
                + " RIGHT-TO-LEFT OVERRIDE",
            "mcp.json:12: server \"f\": the entry does not say how to reach the server",
            "mcp.json:13: server \"g\": a server must be an object, not a list",
            "mcp.json:14: these names mean the same server \"g\": \"g\" (line 13), \"G\" (line 14)",
            "mcp.json:14: server \"G\": named pipes (pipe:) are not supported");
  }

  @Test
  void a_file_without_servers_names_what_was_expected() {
    assertThat(json("{\n\"mcpServer\": {}}"))
        .containsExactly(
            "mcp.json:1: the file defines no servers. Expected one of \"mcpServers\" (Claude,"
                + " Cursor, mcpbus), \"servers\" (VS Code) or \"mcp_servers\" (YAML). Did you mean"
                + " \"mcpServers\" instead of \"mcpServer\" on line 2?");
    assertThat(json("{}")).singleElement().asString().startsWith("mcp.json:1: the file defines no");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{\"a\": {\"command\": \"x\"}, \"b\": 1}|The server \"a\" on line 1 stands outside of them",
        "{\"my\": {\"servers\": {\"a\": {\"url\": \"x\"}}}}|Move \"servers\" out of \"my\" on line 1",
        "{\"agents\": {\"a\": {\"command\": \"x\"}}}|Rename \"agents\" on line 1 to"
            + " \"mcpServers\""
      })
  void servers_at_another_place_are_found(String text, String hint) {
    assertThat(json(text))
        .containsExactly(
            "mcp.json:1: the file defines no servers. Expected one of \"mcpServers\" (Claude,"
                + " Cursor, mcpbus), \"servers\" (VS Code) or \"mcp_servers\" (YAML). "
                + hint);
  }

  @Test
  void a_file_with_several_roots_names_them() {
    assertThat(json("{\"mcpServers\": {},\n\"servers\": {}}"))
        .containsExactly(
            "mcp.json:2: the file defines servers under several keys: \"mcpServers\" (line 1),"
                + " \"servers\" (line 2). Expected one of them; move all servers under it");
  }

  @Test
  void a_root_that_is_no_object_is_fatal() {
    assertThat(json("[]")).singleElement().asString().startsWith("mcp.json:1: the file must be");
    assertThat(json("{\"mcpServers\":\n[]}"))
        .singleElement()
        .asString()
        .startsWith("mcp.json:1: \"mcpServers\" must be an object, not a list");
  }

  @Test
  void a_server_without_mistakes_runs_beside_one_with() {
    ConfigResult result =
        Sample.in(directory).json("{\"mcpServers\": {\"a\": {}, \"b\": {\"command\": \"x\"}}}");
    assertThat(result.usable().orElseThrow().servers()).hasSize(1);
    assertThat(result.usable().orElseThrow().problems()).hasSize(1);
  }

  @Test
  void a_wrong_default_is_fatal_because_it_concerns_every_server() {
    ConfigResult result =
        Sample.in(directory).json("{\"defaults\": {\"command\": \"x\"},\n\"mcpServers\": {}}");
    assertThat(result.usable()).isEmpty();
    assertThat(result.problems().get(0).message()).isEqualTo("unknown key \"defaults.command\"");
  }

  @Test
  void a_bare_timeout_of_the_seeds_yaml_that_must_be_milliseconds_is_refused() {
    Sample sample = Sample.in(directory);
    assertThat(
            sample.texts(sample.yaml("mcp_servers:\n  a:\n    command: x\n    timeout: 30000\n")))
        .containsExactly(
            "mcp.yaml:4: server \"a\": \"timeout\" counts seconds here, and this is more than an"
                + " hour. Write the unit: \"30s\" or \"30000ms\"");
  }

  @Test
  void keys_of_other_programs_are_accepted_silently() {
    assertThat(
            json(
                """
                {"numStartups": 3, "projects": {}, "mcpServers": {"a": {"command": "x",
                 "alwaysAllow": [], "autoApprove": [], "disabledTools": [], "description": "d",
                 "gallery": true, "version": "1", "dev": {}, "icon": "i"}}}
                """))
        .isEmpty();
  }

  @Test
  void a_user_in_a_url_becomes_a_header_and_is_not_shown() {
    ServerDefinition one =
        Sample.in(directory).good("\"url\": \"http://ada:canary@h:1/p?q=canary\"");
    dev.mcpbus.transport.HttpOptions http = (dev.mcpbus.transport.HttpOptions) one.transport();
    assertThat(http.url().reveal()).isEqualTo("http://h:1/p?q=canary");
    assertThat(http.headers())
        .containsEntry("Authorization", Sensitive.of("Basic YWRhOmNhbmFyeQ=="));
    assertThat(one.view().encode()).doesNotContain("canary").contains("http://***@h:1/p?***");
    assertThat(one + " " + one.transport()).doesNotContain("canary");
  }
}
