package dev.mcpbus.config.read;

import dev.mcpbus.bus.McpFailure;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerOrigin;
import dev.mcpbus.config.ServerResult;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.ServerId;
import dev.mcpbus.transport.EmbeddedTransportOptions;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A configuration that a program changes: the document, and what it comes to. Each change is
 * checked as the file is, and what the file said keeps its lines. Immutable. Blocks on files.
 */
public final class ConfigDocument {

  private static final String SERVERS = "mcpServers";

  /**
   * A server over a transport that the program made.
   *
   * @param entry its settings
   */
  private record OwnServer(String name, JsonObject entry, EmbeddedTransportOptions transport) {}

  private final @Nullable ConfigNode root;
  private final Path file;
  private final String label;
  private final ConfigEnvironment environment;
  private final List<OwnServer> own;
  private final ConfigResult result;

  private ConfigDocument(
      @Nullable ConfigNode root,
      Path file,
      String label,
      ConfigEnvironment environment,
      List<OwnServer> own,
      ConfigResult result) {
    this.root = root;
    this.file = file;
    this.label = label;
    this.environment = environment;
    this.own = List.copyOf(own);
    this.result = result;
  }

  /** As {@link ConfigReader#read(Path, ConfigEnvironment)}. */
  public static ConfigDocument of(Path file, ConfigEnvironment environment) {
    ConfigReader reader = ConfigReader.of(file, environment);
    ConfigNode root = reader.startedDocument().orElse(null);
    return new ConfigDocument(
        root, file, file.toString(), environment, List.of(), reader.result(root));
  }

  /** As {@link ConfigReader#read(JsonObject, Path, ConfigEnvironment)}. */
  public static ConfigDocument of(JsonObject document, Path folder, ConfigEnvironment environment) {
    ConfigNode root = ConfigNode.of(document);
    boolean hasServers =
        ConfigKeys.ROOTS.stream().anyMatch(document::containsKey) || RegistryFile.is(root);
    return read(
        hasServers
            ? root
            : ConfigNode.of(new JsonObject().put(SERVERS, new JsonObject()).mergeIn(document)),
        folder.resolve("configuration"),
        "configuration",
        environment,
        List.of());
  }

  private static ConfigDocument read(
      ConfigNode root,
      Path file,
      String label,
      ConfigEnvironment environment,
      List<OwnServer> own) {
    ConfigReader reader =
        new ConfigReader(
            file,
            environment,
            new ProblemCollector(label),
            own.stream().map(one -> ServerId.of(one.name())).toList());
    ConfigResult result = reader.result(root);
    for (OwnServer one : own) {
      result = more(result, readOwn(one, file, environment, result));
    }
    return new ConfigDocument(root, file, label, environment, own, result);
  }

  /** What the document says, with all its problems. */
  public ConfigResult result() {
    return result;
  }

  /** The base of relative paths. */
  public Path folder() {
    return folder(file);
  }

  private static Path folder(Path file) {
    Path folder = file.toAbsolutePath().getParent();
    return folder == null ? Path.of(".") : folder;
  }

  /**
   * The document in mcpbus's own form, with variables and secrets as they were written, and without
   * the servers over transports of the program; a copy.
   */
  public JsonObject toJson() {
    return root == null || !(ownForm().toJson() instanceof JsonObject json)
        ? new JsonObject()
        : json;
  }

  /**
   * With another value of a top-level key.
   *
   * @param value null for none
   */
  public ConfigDocument with(String key, @Nullable Object value) {
    ConfigNode changed =
        value == null ? ownForm().without(key) : ownForm().with(key, ConfigNode.of(value));
    return read(changed, file, label, environment, own);
  }

  /**
   * With one more server.
   *
   * @param transport of the program, for which the entry has the settings alone; null where the
   *     entry says how to reach the server
   * @throws McpFailure {@code BAD_REQUEST}, whose message names every mistake of the entry, and the
   *     present names that mean the same server
   */
  public ConfigDocument withServer(
      String name, JsonObject entry, @Nullable EmbeddedTransportOptions transport) {
    requireFree(name);
    if (transport != null) {
      OwnServer added = new OwnServer(name, entry.copy(), transport);
      ServerDefinition definition = readOwn(added, file, environment, result);
      return new ConfigDocument(
          root,
          file,
          label,
          environment,
          Stream.concat(own.stream(), Stream.of(added)).toList(),
          more(result, definition));
    }
    ServerOrigin origin = new ServerOrigin(name, entry, null, false);
    ServerDefinition definition =
        ConfigReader.readServer(
                origin, ConfigReader.PROGRAM, environment, folder(), result.defaults())
            .required();
    ConfigNode written =
        ConfigReader.translated(origin, environment, new ProblemCollector("")).orElseThrow();
    return new ConfigDocument(
        ownForm().with(SERVERS, servers().with(name, written)),
        file,
        label,
        environment,
        own,
        more(result, definition));
  }

  private void requireFree(String name) {
    String id = ServerId.of(name);
    Map<String, ConfigMember> same = new LinkedHashMap<>();
    Stream.concat(
            servers().members().stream(),
            own.stream().map(one -> new ConfigMember(one.name(), 0, ConfigNode.text(0, ""))))
        .filter(present -> ServerId.of(present.name()).equals(id))
        .forEach(present -> same.put(present.name(), present));
    List<ConfigMember> all = new ArrayList<>(same.values());
    if (!all.isEmpty()) {
      all.add(new ConfigMember(name, 0, ConfigNode.text(0, "")));
      ProblemCollector problems = new ProblemCollector("");
      if (same.containsKey(name)) {
        problems.fatal(
            0, "there is a server " + MessageTexts.quote(name) + " already", "Choose another name");
      } else {
        ServerNames.ids(all, problems);
      }
      new ServerResult(
              null, problems.sorted().stream().filter(ConfigProblem::fatal).toList(), List.of())
          .required();
    }
  }

  private static ServerDefinition readOwn(
      OwnServer one, Path file, ConfigEnvironment environment, ConfigResult result) {
    return ConfigReader.readOwn(
            one.name(), one.entry(), one.transport(), environment, folder(file), result.defaults())
        .required();
  }

  private static ConfigResult more(ConfigResult result, ServerDefinition definition) {
    McpBusConfig config = result.config();
    return config == null
        ? result
        : RecordCopy.with(
            result,
            "config",
            config.withServers(
                Stream.concat(config.servers().stream(), Stream.of(definition)).toList()));
  }

  private ConfigNode servers() {
    ConfigNode present = ownForm().get(SERVERS);
    return present != null && present.is(ConfigNode.ValueType.OBJECT)
        ? present
        : ConfigNode.object(0, List.of());
  }

  private ConfigNode ownForm() {
    return root == null ? ConfigNode.of(new JsonObject()) : ConfigReader.ownForm(root, environment);
  }
}
