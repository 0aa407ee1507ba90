package dev.mcpbus.config;

import dev.mcpbus.config.ConfigNode.ConfigMember;
import dev.mcpbus.config.ConfigNode.ValueType;
import dev.mcpbus.protocol.ServerId;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The servers in a file of an MCP client, in mcpbus's own keys, so that they mean the same in a
 * file of another folder. Immutable.
 *
 * @param servers in the order of the file; those of Claude Code's projects behind the others
 * @param inputs that the file declares, by id, as they are written
 * @param problems why the file, or a server of it, cannot be read
 */
public record ClientFile(
    List<ClientServer> servers, Map<String, JsonObject> inputs, List<String> problems) {

  /** Folders that programs keep their settings in, inside of the project's folder. */
  private static final Set<String> SETTINGS =
      Set.of(
          ".amazonq",
          ".amp",
          ".augment",
          ".codex",
          ".continue",
          ".copilot",
          ".cursor",
          ".devcontainer",
          ".factory",
          ".gemini",
          ".github",
          ".idea",
          ".idx",
          ".junie",
          ".kilocode",
          ".kiro",
          ".lmstudio",
          ".opencode",
          ".qwen",
          ".roo",
          ".trae",
          ".vscode",
          ".warp",
          ".windsurf",
          ".zed");

  /** The variables whose value depends on the folder; VS Code can name one of several. */
  private static final Pattern FOLDER =
      Pattern.compile(
          "\\$\\{(workspaceFolder|workspaceRoot|workspaceFolderBasename|cwd|CLAUDE_PROJECT_DIR)"
              + "(?::[^{}]{0,200})?}");

  private static final Pattern ABSOLUTE = Pattern.compile("(?:[/\\\\~]|\\$\\{|[A-Za-z]:).*+");

  /**
   * @param name as it is written
   * @param entry with absolute paths; it may hold secrets
   */
  public record ClientServer(String name, JsonObject entry) {

    /** Without the entry, which may hold secrets. */
    @Override
    public String toString() {
      return "ClientServer[" + name + "]";
    }
  }

  public ClientFile {
    servers = List.copyOf(servers);
    inputs = Map.copyOf(inputs);
    problems = List.copyOf(problems);
  }

  /** Shows the names alone: an entry may hold secrets. */
  @Override
  public String toString() {
    return "ClientFile" + servers;
  }

  /**
   * Reads a file with the parsers and the translation of {@link ConfigReader}; blocks. A file
   * without servers is no problem.
   *
   * @param inProject whether the client starts the file's programs in the folder of the file
   * @param environment says which packages of a file of the registry can be run
   */
  public static ClientFile read(Path file, boolean inProject, ConfigEnvironment environment) {
    try {
      String text = BoundedFile.read(file, ParsedText.MAX_BYTES).orElse(null);
      if (text == null) {
        return broken("it is over 8 MiB");
      }
      ParsedText parsed = ConfigText.parse(file, text);
      ConfigNode root = parsed.root();
      if (root == null || !parsed.mistakes().isEmpty()) {
        ParsedText.Mistake first = parsed.mistakes().get(0);
        String column = first.column() > 0 ? ", column " + first.column() : "";
        return broken("line " + first.line() + column + ": " + first.message());
      }
      return of(root, file, inProject, environment);
    } catch (BoundedFile.NotUtf8Exception e) {
      return broken("it " + e.getMessage());
    } catch (IOException e) {
      return broken("it cannot be read");
    }
  }

  private static ClientFile broken(String problem) {
    return new ClientFile(List.of(), Map.of(), List.of(problem));
  }

  private static ClientFile of(
      ConfigNode written, Path file, boolean inProject, ConfigEnvironment environment) {
    ProblemCollector problems = new ProblemCollector(String.valueOf(file.getFileName()));
    ConfigNode root =
        ForeignRoots.moved(ForeignForms.braced(written, file, environment), file, problems);
    Path folder = folderOf(file);
    List<ClientServer> servers = new ArrayList<>();
    if (RegistryFile.is(root)) {
      ConfigMember packages = new RegistryFile(environment, problems).servers(root);
      collect(ConfigNode.object(1, List.of(packages)), folder, false, servers, problems);
    } else {
      collect(root, folder, inProject, servers, problems);
    }
    ConfigNode projects = root.get("projects"); // in ~/.claude.json
    if (projects != null) {
      for (ConfigMember project : projects.members()) {
        Path own = absolute(project.name());
        collect(project.value(), own == null ? folder : own, own != null, servers, problems);
      }
    }
    Map<String, JsonObject> inputs = new LinkedHashMap<>();
    ConfigNode declared = root.get("inputs");
    if (declared != null) {
      for (ConfigNode input : declared.items()) {
        if (input.toJson() instanceof JsonObject json && json.getValue("id") instanceof String id) {
          inputs.put(id, json);
        }
      }
    }
    return new ClientFile(
        servers, inputs, problems.sorted().stream().map(ConfigProblem::toString).toList());
  }

  private static void collect(
      ConfigNode holder,
      Path folder,
      boolean starts,
      List<ClientServer> servers,
      ProblemCollector problems) {
    for (ConfigMember root : holder.members()) {
      if (!ConfigKeys.ROOTS.contains(root.name())) {
        continue;
      }
      for (ConfigMember server : root.value().members()) {
        ConfigNode entry =
            root.name().equals("mcp_servers")
                ? SecondsForm.rewritten(server.value())
                : server.value();
        String name = ServerNames.key(server.name());
        ConfigNode ours = ForeignForms.translated(entry, name, true, problems);
        ConfigNode whole = moved(starts ? startedIn(folder, ours) : ours, folder);
        if (whole.toJson() instanceof JsonObject json) {
          servers.add(new ClientServer(server.name(), json));
        }
      }
    }
  }

  /** A program without a {@code cwd} gets the folder. */
  private static ConfigNode startedIn(Path folder, ConfigNode entry) {
    ConfigNode cwd = entry.get("cwd");
    if (entry.get("command") == null || (cwd != null && !cwd.is(ValueType.NULL))) {
      return entry;
    }
    int line = entry.line();
    List<ConfigMember> members = new ArrayList<>(entry.members());
    members.removeIf(member -> member.name().equals("cwd"));
    members.add(
        new ConfigMember(
            "cwd", line, ConfigNode.scalar(ValueType.STRING, line, folder.toString())));
    return ConfigNode.object(line, members);
  }

  /**
   * The document of a project's file, such as {@code .vscode/mcp.json}: its client starts programs
   * in the project's folder. Any other document as it is.
   */
  static ConfigNode startedInProject(ConfigNode root, Path file, Path home) {
    Path folder = folderOf(file);
    boolean project =
        !folder.equals(file.toAbsolutePath().normalize().getParent()) || file.endsWith(".mcp.json");
    if (!project || folder.equals(home)) {
      return root;
    }
    List<ConfigMember> members = new ArrayList<>();
    for (ConfigMember member : root.members()) {
      ConfigNode servers = member.value();
      boolean holds = ConfigKeys.ROOTS.contains(member.name()) && servers.is(ValueType.OBJECT);
      List<ConfigMember> started =
          servers.members().stream()
              .map(one -> new ConfigMember(one.name(), one.line(), startedIn(folder, one.value())))
              .toList();
      members.add(
          holds
              ? new ConfigMember(
                  member.name(), member.line(), ConfigNode.object(servers.line(), started))
              : member);
    }
    return ConfigNode.object(root.line(), members);
  }

  /**
   * The same meaning in a file of another folder: the folder and relative paths are written out.
   */
  private static ConfigNode moved(ConfigNode entry, Path folder) {
    ConfigNode filled =
        ForeignRoots.texts(
            entry,
            text ->
                FOLDER
                    .matcher(text)
                    .replaceAll(
                        found ->
                            Matcher.quoteReplacement(
                                found.group(1).endsWith("Basename")
                                    ? String.valueOf(folder.getFileName())
                                    : folder.toString())));
    return withAbsolute(filled, folder);
  }

  private static ConfigNode withAbsolute(ConfigNode node, Path folder) {
    if (!node.is(ValueType.OBJECT)) {
      return node;
    }
    List<ConfigMember> members = new ArrayList<>();
    for (ConfigMember member : node.members()) {
      ConfigNode value = member.value();
      String key = member.name();
      boolean isPath = key.equals("cwd") || key.endsWith("File") || key.equals("privateKey");
      if (key.equals("env") || key.equals("headers") || key.equals("options")) {
        members.add(member); // keys that are not ours
      } else if (isPath && value.is(ValueType.STRING) && isRelative(value.text())) {
        String path = folder.resolve(value.text()).normalize().toString();
        members.add(
            new ConfigMember(
                key, member.line(), ConfigNode.scalar(ValueType.STRING, value.line(), path)));
      } else {
        members.add(new ConfigMember(key, member.line(), withAbsolute(value, folder)));
      }
    }
    return ConfigNode.object(node.line(), members);
  }

  private static boolean isRelative(String path) {
    return !path.isBlank() && path.indexOf('\0') < 0 && !ABSOLUTE.matcher(path).matches();
  }

  /**
   * The folder that a file's relative paths and {@code ${workspaceFolder}} mean: that of the file;
   * where this is a program's folder such as {@code .vscode}, the one around it.
   */
  static Path folderOf(Path file) {
    Path parent = file.toAbsolutePath().normalize().getParent();
    if (parent == null) {
      return Path.of("/");
    }
    return Stream.iterate(parent, folder -> folder != null, Path::getParent)
        .limit(3)
        .filter(folder -> SETTINGS.contains(String.valueOf(folder.getFileName())))
        .map(folder -> folder.getParent() == null ? folder : folder.getParent())
        .findFirst()
        .orElse(parent);
  }

  private static @Nullable Path absolute(String project) {
    try {
      Path folder = Path.of(project);
      return folder.isAbsolute() ? folder : null;
    } catch (InvalidPathException e) {
      return null;
    }
  }

  /** A name for mcpbus: the same where that is valid, else one without what nobody sees. */
  public static String usableName(String name) {
    if (ServerNames.problem(name).isEmpty()) {
      return name;
    }
    String id = ServerId.of(name);
    return id.isEmpty() ? "server" : id;
  }

  /** Equal for names that mean the same server to mcpbus. */
  public static String idOf(String name) {
    return ServerId.of(name);
  }
}
