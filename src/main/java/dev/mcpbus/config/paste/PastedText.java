package dev.mcpbus.config.paste;

import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.paste.ShellWords.ShellCommand;
import dev.mcpbus.config.read.ConfigKeys;
import dev.mcpbus.config.read.ConfigNode;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.config.read.ConfigNode.ValueType;
import dev.mcpbus.config.read.ConfigText;
import dev.mcpbus.config.read.ForeignRoots;
import dev.mcpbus.config.read.JsoncParser;
import dev.mcpbus.config.read.MisplacedServers;
import dev.mcpbus.config.read.ParsedText;
import dev.mcpbus.config.read.ProblemCollector;
import dev.mcpbus.config.read.RegistryFile;
import dev.mcpbus.config.read.RegistryInput;
import dev.mcpbus.config.read.YamlParser;
import dev.mcpbus.internals.OptionalLibrary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Finds the servers in a text that a person has pasted: a configuration document of any program, a
 * single entry, members of such a document without the braces around them, a {@code server.json}, a
 * command line, or a URL. The parsers are those of files. Owned by one read.
 */
final class PastedText {

  private static final Pattern URL = Pattern.compile("(?i)[a-z][a-z0-9+.-]*:/\\S+|unix:/\\S+");

  /** A host with a port, which is a URL without its scheme. */
  private static final Pattern PLACE =
      Pattern.compile("(?i)(localhost|[a-z\\d-]+(\\.[a-z\\d-]+){1,20}):\\d{1,5}(/\\S*)?");

  private static final Pattern YAML =
      Pattern.compile("(?:[\\w.-]+|\"[^\"]*\"|'[^']*')\\s*:(\\s.*)?");

  private static final Pattern FENCE = Pattern.compile("\\s*+(```|~~~)\\s*+\\w*+\\s*+");

  private final ConfigEnvironment environment;
  private final ProblemCollector problems;
  private final List<PastedServer> servers = new ArrayList<>();
  private String root = "mcpServers";
  private ConfigNode inputs = ConfigNode.array(0, List.of());

  /**
   * @param environment says which variables of a {@code server.json} have a value
   */
  PastedText(ConfigEnvironment environment, ProblemCollector problems) {
    this.environment = environment;
    this.problems = problems;
  }

  /** The servers in the order of the text. */
  List<PastedServer> servers() {
    return servers;
  }

  /** The key under which the text has its servers, or would have them. */
  String root() {
    return root;
  }

  /** The {@code inputs} of a VS Code file; none for others. */
  ConfigNode inputs() {
    return inputs;
  }

  void read(String pasted) {
    String text = withoutFences(pasted.startsWith("\uFEFF") ? pasted.substring(1) : pasted);
    String bare = text.strip();
    if (bare.isEmpty()) {
      problems.fatal(0, "the text is empty", "Paste a configuration, a command line or a URL");
    } else if (bare.indexOf('\0') >= 0) {
      problems.fatal(0, "the text has NUL characters", "Paste plain text");
    } else if (bare.startsWith("{") || bare.startsWith("//") || bare.startsWith("/*")) {
      document(JsoncParser.parse(text));
    } else if (bare.startsWith("\"") && bare.indexOf(':') > 0) {
      int start = text.indexOf('"');
      document(JsoncParser.parse(text.substring(0, start) + "{" + text.substring(start) + "\n}"));
    } else if (URL.matcher(bare).matches() || PLACE.matcher(bare).matches()) {
      int line = line(text, text.indexOf(bare));
      ConfigNode url = ConfigNode.text(line, bare);
      servers.add(
          new PastedServer(
              null, ConfigNode.object(line, List.of(new ConfigMember("url", line, url))), line));
    } else {
      lines(text);
    }
  }

  /** The text of a block of Markdown; its lines keep their numbers. */
  private static String withoutFences(String text) {
    if (!text.stripLeading().startsWith("```") && !text.stripLeading().startsWith("~~~")) {
      return text;
    }
    return String.join(
        "\n", text.lines().map(line -> FENCE.matcher(line).matches() ? "" : line).toList());
  }

  private static int line(String text, int at) {
    return 1 + (int) text.substring(0, Math.max(0, at)).chars().filter(c -> c == '\n').count();
  }

  private void lines(String text) {
    String first =
        text.lines()
            .map(String::strip)
            .filter(line -> !line.isEmpty() && !line.startsWith("#") && !line.equals("---"))
            .findFirst()
            .orElse("");
    if (ConfigText.isToml(text)) {
      document(ConfigText.toml(text), Path.of("pasted.toml"));
    } else if (YAML.matcher(first).matches()) {
      if (OptionalLibrary.SNAKEYAML.isPresent()) {
        document(YamlParser.parse(text));
      } else {
        problems.fatal(0, OptionalLibrary.SNAKEYAML.missing(), "Or write the text in JSON");
      }
    } else {
      for (ShellCommand command : ShellWords.parse(text)) {
        servers.addAll(PastedCommand.read(command, problems, this::ofJson));
      }
    }
  }

  /** A JSON text inside a command line. */
  private List<PastedServer> ofJson(String text, int line) {
    PastedText inner = new PastedText(environment, problems);
    inner.document(JsoncParser.parse("\n".repeat(Math.max(0, line - 1)) + text));
    return inner.servers();
  }

  private void document(ParsedText parsed) {
    document(parsed, Path.of("pasted"));
  }

  private void document(ParsedText parsed, Path file) {
    parsed.mistakes().forEach(problems::fatal);
    if (parsed.root() == null) {
      return;
    }
    ConfigNode node = ForeignRoots.moved(parsed.root(), file, problems);
    if (!node.is(ValueType.OBJECT)) {
      problems.fatal(
          node.line(),
          "the text must be an object, not " + node.type().title,
          "Write { \"mcpServers\": { } }");
      return;
    }
    ConfigNode declared = node.get("inputs");
    inputs = declared == null ? inputs : declared;
    if (RegistryFile.is(node)) {
      registry(node);
    } else if (ConfigKeys.ROOTS.stream().anyMatch(key -> node.get(key) != null)) {
      roots(node);
    } else if (ForeignRoots.isServer(node)) {
      entry(node);
    } else {
      map(node);
    }
  }

  private void roots(ConfigNode node) {
    List<String> others = new ArrayList<>();
    for (ConfigMember member : node.members()) {
      if (ConfigKeys.ROOTS.contains(member.name())) {
        root = member.name();
        members(member);
      } else if (ConfigKeys.OURS.contains(member.name())) {
        others.add(MessageTexts.quote(member.name()));
      }
    }
    if (!others.isEmpty()) {
      problems.note(
          node.line(),
          null,
          "settings beside the servers are not taken: " + String.join(", ", others),
          "Write settings of a server into its entry");
    }
  }

  private void members(ConfigMember holder) {
    if (!holder.value().is(ValueType.OBJECT)) {
      problems.fatal(
          holder.line(),
          "\"" + holder.name() + "\" must be an object, not " + holder.value().type().title,
          "Write \"" + holder.name() + "\": {\"name\": {\"command\": \"...\"}}");
      return;
    }
    for (ConfigMember server : holder.value().members()) {
      servers.add(new PastedServer(server.name(), server.value(), server.line()));
    }
  }

  /** One entry; its {@code name}, which VS Code writes beside the others, is the server's. */
  private void entry(ConfigNode node) {
    ConfigNode name = node.get("name");
    boolean named = name != null && name.is(ValueType.STRING) && !name.text().isBlank();
    ConfigNode entry = named ? node.without("name") : node;
    servers.add(new PastedServer(named && name != null ? name.text() : null, entry, node.line()));
  }

  /** Servers by their names, without the key above them. */
  private void map(ConfigNode node) {
    if (node.members().stream().noneMatch(member -> ForeignRoots.isServer(member.value()))) {
      problems.fatal(
          node.line(),
          "the text defines no servers",
          "Expected one of \"mcpServers\" (Claude, Cursor, mcpbus), \"servers\" (VS Code),"
              + " \"mcp_servers\" (YAML), an entry with \"command\" or \"url\", a command line, or"
              + " a URL"
              + MisplacedServers.hint(node));
      return;
    }
    members(new ConfigMember("mcpServers", node.line(), node));
  }

  // ---- server.json

  private void registry(ConfigNode node) {
    ProblemCollector own = new ProblemCollector(problems.file());
    List<ConfigMember> usable = new RegistryFile(environment, own).servers(node).value().members();
    Set<String> found = new HashSet<>();
    usable.forEach(server -> found.add(server.name()));
    usable.forEach(
        server -> servers.add(new PastedServer(server.name(), server.value(), server.line())));
    Set<String> missing = new HashSet<>();
    required(node, missing);
    if (!missing.isEmpty()) {
      // Those that lack a value alone are shown, too: their references say which one.
      new RegistryFile(environment.withSealed(missing), new ProblemCollector(problems.file()))
          .servers(node).value().members().stream()
              .filter(server -> !found.contains(server.name()))
              .forEach(
                  server -> {
                    found.add(server.name());
                    servers.add(new PastedServer(server.name(), server.value(), server.line()));
                  });
    }
    own.sorted().stream()
        .filter(problem -> problem.server() == null || !found.contains(problem.server()))
        .forEach(
            problem -> {
              if (problem.fatal()) {
                problems.fatal(problem.line(), problem.message(), problem.remedy());
              } else {
                problems.add(problem.line(), problem.server(), problem.message(), problem.remedy());
              }
            });
  }

  /** The variables of all inputs that are required and have no value of their own. */
  private static void required(ConfigNode node, Set<String> names) {
    if (RegistryInput.flag(node, "isRequired")
        && RegistryInput.get(node, "value") == null
        && RegistryInput.get(node, "default") == null) {
      RegistryInput.text(node, "name").ifPresent(name -> required(name, names));
      RegistryInput.text(node, "valueHint").ifPresent(name -> required(name, names));
    }
    for (ConfigMember member : node.members()) {
      if (member.name().equals("variables")) {
        member.value().members().stream()
            .filter(variable -> RegistryInput.flag(variable.value(), "isRequired"))
            .forEach(variable -> required(variable.name(), names));
      }
      required(member.value(), names);
    }
    node.items().forEach(item -> required(item, names));
  }

  private static void required(String name, Set<String> names) {
    boolean variable = name.matches("[A-Z_][A-Z0-9_]*");
    names.add(variable ? name : ConfigEnvironment.inputVariable(RegistryInput.id(name)));
  }

  /** The document that the reader of files gets: servers by unique names. */
  static ConfigNode document(String root, Map<String, PastedServer> servers, ConfigNode inputs) {
    List<ConfigMember> members = new ArrayList<>();
    servers.forEach(
        (name, server) -> members.add(new ConfigMember(name, server.line(), server.entry())));
    return ConfigNode.object(
        1,
        List.of(
            new ConfigMember(root, 1, ConfigNode.object(1, members)),
            new ConfigMember("inputs", 1, inputs)));
  }
}
