package dev.mcpbus.config.read;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerOrigin;
import dev.mcpbus.config.ServerResult;
import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.config.read.ConfigNode.ValueType;
import dev.mcpbus.gateway.options.GatewayOptions;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Sha256;
import dev.mcpbus.transport.EmbeddedTransportOptions;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads configurations: mcpbus's own format, those of other MCP clients, the seeds' YAML and files
 * of the MCP registry. Reports all mistakes together and throws for none. Blocks on files: call it
 * on a worker thread.
 */
public final class ConfigReader {

  /** The source of an entry that a caller adds at a door, on every node and after a restart. */
  public static final String CALLER = "POST /api/servers";

  /** The source of a server that the options of a program add, or of one over its transport. */
  static final String PROGRAM = "the embedding program";

  /** Sources that have no place to point at: the answer goes to the one who gave the entry. */
  private static final Set<String> ANSWERED = Set.of(PROGRAM, Addresses.SERVERS_ADD);

  private final Path file;
  private final ConfigEnvironment environment;
  private final ProblemCollector problems;
  private final Set<Path> files = new LinkedHashSet<>();
  private ServerSettings defaults = ServerSettings.DEFAULT;
  private final List<String> others;
  private String digest = "";

  /**
   * @param others ids of servers that the file does not have, and its views may name
   */
  ConfigReader(
      Path file, ConfigEnvironment environment, ProblemCollector problems, List<String> others) {
    this.file = file;
    this.environment = environment;
    this.problems = problems;
    this.others = others;
  }

  static ConfigReader of(Path file, ConfigEnvironment environment) {
    ConfigReader reader =
        new ConfigReader(file, environment, new ProblemCollector(file.toString()), List.of());
    reader.files.add(file);
    return reader;
  }

  /**
   * Reads {@code file}: JSON with comments, YAML or TOML; decided by the extension, else by its
   * beginning.
   */
  public static ConfigResult read(Path file, ConfigEnvironment environment) {
    return ConfigDocument.of(file, environment).result();
  }

  /** The document in mcpbus's own keys, the same for all who read files; empty after a problem. */
  static Optional<ConfigNode> document(
      Path file, ConfigEnvironment environment, ProblemCollector problems) {
    return new ConfigReader(file, environment, problems, List.of()).document();
  }

  /** The document of a file, from which the servers are started. */
  Optional<ConfigNode> startedDocument() {
    return document().map(node -> ClientFile.startedInProject(node, file, environment.userHome()));
  }

  private Optional<ConfigNode> document() {
    return text().flatMap(this::parse);
  }

  /**
   * Reads a configuration that a program has at hand, with the checks of a file. It may be without
   * servers.
   *
   * @param folder the base of relative paths and the value of {@code ${workspaceFolder}}
   */
  public static ConfigResult read(JsonObject document, Path folder, ConfigEnvironment environment) {
    return ConfigDocument.of(document, folder, environment).result();
  }

  /**
   * The problems and notes of a document, for its preview: reads it as a file of that form is read,
   * and makes no servers of it.
   */
  public static ProblemCollector check(ConfigNode document, Path folder, ConfigEnvironment sealed) {
    ConfigReader reader =
        new ConfigReader(
            folder.resolve("pasted"), sealed, new ProblemCollector("the text"), List.of());
    reader.config(ClientAliases.translated(document, reader.problems));
    return reader.problems;
  }

  /** Reads everything; null where there is no document. */
  ConfigResult result(@Nullable ConfigNode root) {
    return new ConfigResult(
        Optional.ofNullable(root).flatMap(this::config).orElse(null),
        problems.sorted(),
        problems.notes(),
        defaults,
        new ArrayList<>(files),
        digest);
  }

  /**
   * Reads the entry of a server that is added at run time, in the form that a file has.
   *
   * @param folder the base of relative paths and the value of {@code ${workspaceFolder}}
   * @param defaults for settings that the entry does not have, {@link ConfigResult#defaults} of the
   *     file
   */
  public static ServerResult readServer(
      String name,
      JsonObject entry,
      ConfigEnvironment environment,
      Path folder,
      ServerSettings defaults) {
    return readServer(
        new ServerOrigin(name, entry, null, false),
        Addresses.SERVERS_ADD,
        environment,
        folder,
        defaults);
  }

  /**
   * Reads an entry that another node sent.
   *
   * @param source for messages
   * @param defaults used if {@code origin} has none
   */
  public static ServerResult readServer(
      ServerOrigin origin,
      String source,
      ConfigEnvironment ofProcess,
      Path folder,
      ServerSettings defaults) {
    return readServer(origin, null, source, ofProcess, folder, defaults);
  }

  /**
   * Reads the settings of a server over a transport that the program made.
   *
   * @param entry without keys that say how or where to reach a server
   */
  public static ServerResult readOwn(
      String name,
      JsonObject entry,
      EmbeddedTransportOptions transport,
      ConfigEnvironment environment,
      Path folder,
      ServerSettings defaults) {
    return readServer(
        new ServerOrigin(name, entry, null, false),
        transport,
        PROGRAM,
        environment,
        folder,
        defaults);
  }

  private static ServerResult readServer(
      ServerOrigin origin,
      @Nullable EmbeddedTransportOptions own,
      String source,
      ConfigEnvironment ofProcess,
      Path folder,
      ServerSettings defaults) {
    String name = origin.name();
    ConfigEnvironment environment = source.equals(CALLER) ? ofProcess.ofCaller() : ofProcess;
    ProblemCollector problems = new ProblemCollector(ANSWERED.contains(source) ? "" : source);
    Optional<ConfigNode> written = translated(origin, environment, problems);
    if (written.isEmpty()) {
      return new ServerResult(null, problems.sorted(), problems.notes());
    }
    ConfigNode node = written.get();
    String server = ServerNames.key(name);
    Map<String, ConnectionId> ids =
        ServerNames.ids(List.of(new ConfigMember(name, 0, node)), problems);
    Substitution substitution = new Substitution(environment, folder, Map.of(), problems);
    ServerReader reader =
        new ServerReader(
            new ConfigEntry(node, ConfigSchema.SERVER, "", server, problems, substitution),
            server,
            own,
            new LinkedHashSet<>());
    if (reader.disabled()) {
      return new ServerResult(null, problems.sorted(), problems.notes());
    }
    ConnectionId id = ids.getOrDefault(name, new ConnectionId("unnamed"));
    Optional<ServerDefinition> definition =
        reader.read(id, source, settings(origin, substitution, problems, defaults));
    boolean good = problems.count() == 0;
    return new ServerResult(
        good
            ? definition
                .map(read -> RecordCopy.with(read, "origin", own == null ? origin : null))
                .orElse(null)
            : null,
        problems.sorted(),
        problems.notes());
  }

  /** The entry in mcpbus's own keys; empty after a problem. */
  static Optional<ConfigNode> translated(
      ServerOrigin origin, ConfigEnvironment environment, ProblemCollector problems) {
    ConfigNode given = ConfigNode.of(origin.entry());
    String server = ServerNames.key(origin.name());
    Optional<ConfigNode> written =
        RegistryFile.is(given)
            ? new RegistryFile(environment, problems).entry(given, origin.name())
            : Optional.of(given);
    return written
        .map(node -> origin.seeds() ? SecondsForm.rewritten(node, server, problems) : node)
        .map(node -> ClientAliases.translated(node, server, problems));
  }

  private static ServerSettings settings(
      ServerOrigin origin,
      Substitution substitution,
      ProblemCollector problems,
      ServerSettings own) {
    JsonObject written = origin.defaults();
    if (written == null) {
      return own;
    }
    ConfigEntry entry =
        new ConfigEntry(
            ConfigNode.of(written), ConfigSchema.SETTINGS, "", null, problems, substitution);
    return SettingsReader.read(entry, ServerSettings.DEFAULT);
  }

  private Optional<String> text() {
    try {
      Optional<String> text = BoundedFile.read(file, ParsedText.MAX_BYTES);
      if (text.isEmpty()) {
        problems.fatal(0, "the file is over 8 MiB", "Name a smaller file");
      } else if (text.get().indexOf('\0') >= 0) {
        problems.fatal(
            0, "the file has NUL characters: it is UTF-16, or no text", "Save it as UTF-8");
        return Optional.empty();
      }
      digest = text.map(Sha256::hex).orElse("");
      return text;
    } catch (NoSuchFileException e) {
      problems.fatal(0, "the file does not exist", "Create it, or name another");
    } catch (BoundedFile.NotUtf8Exception e) {
      problems.fatal(0, "the file " + e.getMessage(), "Save it as UTF-8");
    } catch (IOException e) {
      problems.fatal(0, "the file cannot be read", "Check that it is a file, and its permissions");
    }
    return Optional.empty();
  }

  private Optional<ConfigNode> parse(String text) {
    ParsedText parsed = ConfigText.parse(file, text);
    parsed.mistakes().forEach(problems::fatal);
    ConfigNode root = parsed.root();
    if (root != null && !root.is(ValueType.OBJECT)) {
      problems.fatal(
          root.line(),
          "the file must be an object, not " + root.type().title,
          "Write { \"mcpServers\": { } }");
      return Optional.empty();
    }
    return Optional.ofNullable(root)
        .map(node -> DollarVariables.braced(node, file, environment))
        .map(node -> ForeignRoots.moved(node, file, problems))
        .map(node -> ClientAliases.translated(node, problems));
  }

  private static List<ConfigMember> roots(ConfigNode root) {
    return root.members().stream().filter(m -> ConfigKeys.ROOTS.contains(m.name())).toList();
  }

  private static boolean isRegistry(ConfigNode root) {
    return RegistryFile.is(root)
        && roots(root).stream()
            .allMatch(m -> m.name().equals("servers") && m.value().is(ValueType.ARRAY));
  }

  /** A document that was read, with its servers under the key {@code mcpServers}. */
  static ConfigNode ownForm(ConfigNode root, ConfigEnvironment environment) {
    List<ConfigMember> roots = roots(root);
    if (roots.stream().anyMatch(one -> one.name().equals("mcpServers"))
        || (roots.isEmpty() && !isRegistry(root))) {
      return root;
    }
    ProblemCollector known = new ProblemCollector("");
    ConfigMember servers =
        isRegistry(root) ? new RegistryFile(environment, known).servers(root) : roots.get(0);
    ConfigNode entries =
        servers.name().equals("mcp_servers")
            ? servers.value().map(each -> SecondsForm.rewritten(each, "", known))
            : servers.value();
    List<ConfigMember> members = new ArrayList<>();
    members.add(new ConfigMember("mcpServers", servers.line(), entries));
    root.member("inputs").ifPresent(members::add);
    return ConfigNode.object(root.line(), members);
  }

  private Optional<McpBusConfig> config(ConfigNode root) {
    List<ConfigMember> roots = roots(root);
    boolean registry = isRegistry(root);
    if (!registry && roots.isEmpty()) {
      problems.fatal(
          root.line(),
          "the file defines no servers",
          "Expected one of \"mcpServers\" (Claude, Cursor, mcpbus), \"servers\" (VS Code) or"
              + " \"mcp_servers\" (YAML)"
              + MisplacedServers.hint(root));
    } else if (!registry) {
      severalRoots(root, problems);
    }
    if (!registry && roots.size() != 1) {
      return Optional.empty();
    }
    ConfigMember servers =
        registry ? new RegistryFile(environment, problems).servers(root) : roots.get(0);
    Substitution substitution =
        new Substitution(environment, ClientFile.folderOf(file), inputs(root), problems);
    ConfigEntry top = new ConfigEntry(root, ConfigSchema.TOP, "", null, problems, substitution);
    boolean own = !registry && servers.name().equals("mcpServers");
    McpBusConfig frame = own ? frame(top) : TopLevelReader.NONE;
    if (frame.stateDir() != null) {
      substitution.keepFrom(frame.stateDir());
    }
    JsonObject settings = own ? defaults(root) : new JsonObject();
    List<ServerDefinition> definitions = servers(servers, substitution, settings);
    if (own) {
      ConfigShape.check(root, problems);
    } else if (top.has("auth")) {
      problems.fatal(
          top.line("auth"),
          "\"auth\" stands beside "
              + MessageTexts.quote(servers.name())
              + ", where it would not be read",
          "Name the servers under \"mcpServers\"");
    }
    GatewayOptions gateway = GatewayReader.checked(top, frame.gateway(), ids(servers));
    if (problems.fatal()) {
      return Optional.empty();
    }
    return Optional.of(
        RecordCopy.with(
            frame,
            Map.of("gateway", gateway, "servers", definitions, "problems", problems.sorted())));
  }

  /** The ids of all servers in the file, including disabled and wrong ones, and of the others. */
  private List<String> ids(ConfigMember servers) {
    return Stream.concat(
            ServerNames.ids(servers.value().members(), new ProblemCollector("")).values().stream()
                .map(ConnectionId::value),
            others.stream())
        .toList();
  }

  /** Reports servers under several keys, of which other programs read one. */
  static void severalRoots(ConfigNode root, ProblemCollector problems) {
    List<ConfigMember> roots = roots(root);
    if (roots.size() > 1) {
      problems.fatal(
          roots.get(1).line(),
          "the file defines servers under several keys: "
              + roots.stream()
                  .map(member -> "\"" + member.name() + "\" (line " + member.line() + ")")
                  .collect(Collectors.joining(", ")),
          "Expected one of them; move all servers under it");
    }
  }

  static void noObject(ConfigMember server, ProblemCollector problems) {
    problems.add(
        server.line(),
        ServerNames.key(server.name()),
        "a server must be an object, not " + server.value().type().title,
        "Write {\"command\": \"...\"} or {\"url\": \"...\"}");
  }

  private static Map<String, ConfigNode> inputs(ConfigNode root) {
    Map<String, ConfigNode> declared = new HashMap<>();
    ConfigNode inputs = root.get("inputs");
    if (inputs != null) {
      for (ConfigNode input : inputs.items()) {
        RegistryInput.text(input, "id").ifPresent(id -> declared.put(id, input));
      }
    }
    return declared;
  }

  /** The top-level settings. Files of other programs may have further keys, which are ignored. */
  private McpBusConfig frame(ConfigEntry top) {
    TopLevelReader.checkKeys(top);
    SettingsReader.rpcLog(top)
        .ifPresent(mode -> defaults = RecordCopy.with(defaults, "rpcLog", mode));
    top.object("defaults").ifPresent(entry -> defaults = SettingsReader.read(entry, defaults));
    return TopLevelReader.read(top);
  }

  /** The defaults as written, with {@code rpcLog}, which stands beside them. */
  private static JsonObject defaults(ConfigNode root) {
    JsonObject written = new JsonObject();
    ConfigNode own = root.get("defaults");
    if (own != null && own.toJson() instanceof JsonObject settings) {
      written.mergeIn(settings);
    }
    ConfigNode log = root.get("rpcLog");
    if (log != null && log.toJson() != null && !written.containsKey("rpcLog")) {
      written.put("rpcLog", log.toJson());
    }
    return written;
  }

  private List<ServerDefinition> servers(
      ConfigMember root, Substitution substitution, JsonObject settings) {
    List<ServerDefinition> definitions = new ArrayList<>();
    if (root.value().is(ValueType.NULL)) {
      return definitions;
    }
    if (!root.value().is(ValueType.OBJECT)) {
      problems.fatal(
          root.line(),
          "\"" + root.name() + "\" must be an object, not " + root.value().type().title,
          root.value().is(ValueType.STRING)
              ? "If it names another file, read that one"
              : "Write \"" + root.name() + "\": {\"name\": {\"command\": \"...\"}}");
      return definitions;
    }
    Map<String, ConnectionId> ids = ServerNames.ids(root.value().members(), problems);
    boolean seeds = root.name().equals("mcp_servers");
    for (ConfigMember server : root.value().members()) {
      String name = ServerNames.key(server.name());
      if (!server.value().is(ValueType.OBJECT)) {
        noObject(server, problems);
        continue;
      }
      ConfigNode node =
          seeds ? SecondsForm.rewritten(server.value(), name, problems) : server.value();
      ConfigEntry entry =
          new ConfigEntry(node, ConfigSchema.SERVER, "", name, problems, substitution);
      ServerReader reader = new ServerReader(entry, name, null, files);
      ConnectionId id = ids.get(server.name());
      if (!reader.disabled()) {
        // An entry without an id is read as well, so that all its mistakes are reported together.
        Optional<ServerDefinition> definition =
            reader.read(
                id == null ? new ConnectionId("unnamed") : id,
                problems.file() + ":" + server.line(),
                defaults);
        if (id != null) {
          JsonObject written = (JsonObject) node.toJson();
          ServerOrigin origin =
              new ServerOrigin(name, written == null ? new JsonObject() : written, settings, false);
          definition
              .map(read -> RecordCopy.with(read, "origin", origin))
              .ifPresent(definitions::add);
        }
      }
    }
    return definitions;
  }
}
