package dev.mcpbus.cli.imports;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.cli.CommandRun;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.read.ConfigReader;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.transport.StdioOptions;
import dev.mcpbus.transport.TransportOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** {@code check}, {@code run} and {@code import} agree on files as other programs write them. */
class SameVerdictTest {

  @TempDir private Path root;

  /** The servers of a file that can be used, with how they are reached, and those that cannot. */
  private record Verdict(Map<String, TransportOptions> good, Set<String> bad) {

    static Verdict of(ConfigResult read) {
      Map<String, TransportOptions> good = new TreeMap<>();
      for (ServerDefinition one : read.usable().orElseThrow().servers()) {
        // An import says in which folder a program starts; a file that runs has the process's.
        good.put(
            one.name(),
            one.transport() instanceof StdioOptions stdio
                ? RecordCopy.with(stdio, "cwd", null)
                : one.transport());
      }
      return new Verdict(
          good,
          read.problems().stream()
              .map(ConfigProblem::server)
              .map(Objects::requireNonNull)
              .collect(Collectors.toSet()));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        ".mcp.json|{'mcpServers':{'a':{'command':'npx','args':['x']},'b':{'type':'http','url':'http://127.0.0.1:9/'}}}|2",
        ".vscode/mcp.json|{'inputs':[{'id':'r','type':'promptString','default':'eu'}],'servers':{'io.github.Org/name':{'type':'stdio','command':'npx','args':['${workspaceFolder}','${input:r}'],'gallery':'https://g','version':'1'}}}|1",
        "mcp.json|{'mcpServers':{'高德地图':{'command':'npx'},'Погода':{'command':'npx'},'Bücher & Noten':{'command':'npx'},'@a/b':{'command':'npx'},'tools':{'command':'npx'}}}|5",
        "mcp.json|{'mcpServers':{'a':{'command':'npx','args':['--header','X: ${T}'],'env':{'T':'t-value'}},'b':{'command':'npx','args':['${NOT_SET_HERE}']}}}|1",
        ".gemini/settings.json|{'theme':'x','mcpServers':{'a':{'command':'npx','args':['$PATH','p$w'],'timeout':1500},'b':{'httpUrl':'http://127.0.0.1:9/'},'c':{'command':'x','env':{'K':'$NOT_SET_HERE'}}}}|2",
        ".cursor/mcp.json|{'mcpServers':{'m':{'command':'npx','args':['${workspaceFolder}/data'],'env':{'R':'${workspaceFolder}'}}}}|1",
        "mcp.json|{'mcpServers':{'w':{'url':'http://127.0.0.1:9/mcp','transport':'streamable_http'},'m':{'command':'python','args':['m.py'],'transport':'stdio'}}}|2",
        "settings.json|{'theme':'One','context_servers':{'d':{'source':'custom','command':{'path':'npx','args':['-y'],'env':{'A':'b'}},'settings':{}}}}|1",
        "opencode.json|{'mcp':{'l':{'type':'local','command':['npx','-y','x'],'environment':{'A':'b'},'enabled':true},'r':{'type':'remote','url':'http://127.0.0.1:9/'}}}|2",
        "server.json|{'name':'io.github.ada/weather','version':'1','packages':[{'registryType':'npm','identifier':'@ada/weather','version':'1.0.0','transport':{'type':'stdio'}}]}|1",
        "mcp.json|{'servers':{},'mcpServers':{'//':'c','n':null,'u':{'command':'','url':'http://127.0.0.1:9/','env':{'K':'v'},'headers':[{'name':'K','value':'${K}'}]}}}|1",
        "p/.mcp.json|{'mcpServers':{'p':{'command':'node','args':['${CLAUDE_PLUGIN_ROOT}/x.js'],'unknownOfIt':1},'o':{'url':'http://127.0.0.1:9/','oauth':{'client_id':'c','authorizationUrl':'http://127.0.0.1:9/a'}}}}|2",
        ".claude.json|{'mcpServers':{'h':{'url':'http://127.0.0.1:9/'}},'projects':{'/srv/a':{'mcpServers':{'d':{'command':'npx'},'h':{'command':'x'}}}}}|3",
        "c.toml|[[mcp_servers]]\\nname = 'v'\\ncommand = 'npx'\\ntool_timeout_sec = 9|1",
        ".gemini/settings.json|{'mcp':{'excluded':['b']},'mcpServers':{'a':{'command':'npx'},'b':{'command':'npx'}}}|1",
        "s.json|{'servers':[{'server':{'name':'io.a/x','remotes':[{'type':'sse','url':'http://127.0.0.1:9/'}]},'_meta':{'io.modelcontextprotocol.registry/official':{'isLatest':true}}},{'server':{'name':'io.b/x','remotes':[{'type':'sse','url':'http://127.0.0.1:9/'}]}}]}|2",
        "mcp.json|{'mcpServers':{'x':{'command':'npx','args':['%APPDATA%','$HOME']},'bad':{'comand':'npx'},'off':{'command':'npx','disabled':true}}}|1"
      })
  void a_file_means_the_same_to_each_command(String name, String text, int servers)
      throws IOException {
    Path file = root.resolve("project").resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text.replace('\'', '"').replace("\\n", "\n"));

    Verdict run = Verdict.of(ConfigReader.read(file, ConfigEnvironment.system()));
    assertThat(run.good()).hasSize(servers);

    CommandRun check = new CommandRun(root, Map.of(), "", "check", "--config", file.toString());
    assertThat(check.code()).isEqualTo(run.bad().isEmpty() ? 0 : 1);
    for (String bad : run.bad()) {
      assertThat(check.err()).contains("server \"" + bad + "\"");
    }

    Path other = Files.createDirectories(root.resolve("other"));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ImportCommand command =
        new ImportCommand(
            CommandRun.context(root.resolve("home"), Map.of(), "", out, out, List.of()), other);
    assertThat(new CommandLine(command).execute(file.toString())).as("%s", out).isZero();
    Verdict imported =
        Verdict.of(
            ConfigReader.read(other.resolve("conf/mcpbus.json"), ConfigEnvironment.system()));
    assertThat(imported.good().keySet()).isEqualTo(run.good().keySet());
    assertThat(imported.bad()).isEqualTo(run.bad());
    assertThat(imported).isEqualTo(run);
  }
}
