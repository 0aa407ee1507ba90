package dev.mcpbus.config.read;

import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.config.read.ConfigNode.ValueType;
import dev.mcpbus.protocol.ServerId;
import io.vertx.core.json.JsonObject;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
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
      ConfigKeys.words(
          ".agents .amazonq .amp .augment .claude .claude-plugin .codebuddy .codex .codex-plugin .continue"
              + " .copilot .cursor .cursor-plugin .devcontainer .factory .gemini .github .idea"
              + " .idx .iflow .junie .kilo .kilocode .kiro .lmstudio .opencode .qoder .qwen .roo"
              + " .trae .vibe .vs .vscode .warp .windsurf .zed");

  /** Files with servers whose folder may be any. */
  private static final Set<String> FILES =
      ConfigKeys.words(
          ".mcp.json .claude.json claude_desktop_config.json mcp_config.json mcp-config.json"
              + " mcp_settings.json cline_mcp_settings.json gemini-extension.json"
              + " qwen-extension.json librechat.yaml");

  /** A variable whose value may depend on the folder; VS Code can name one of several. */
  private static final Pattern REFERENCE =
      Pattern.compile("\\$\\{([A-Za-z_]{1,40})(?::[^{}]{0,200})?}");

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
    ProblemCollector problems = new ProblemCollector(String.valueOf(file.getFileName()));
    ConfigNode root =
        ConfigReader.document(file, environment, problems)
            .map(
                node ->
                    RegistryFile.is(node)
                        ? ConfigNode.object(
                            1, List.of(new RegistryFile(environment, problems).servers(node)))
                        : node)
            .orElse(ConfigNode.object(0, List.of()));
    ConfigReader.severalRoots(root, problems);
    List<ClientServer> servers = new ArrayList<>();
    for (ConfigMember holder : problems.fatal() ? List.<ConfigMember>of() : root.members()) {
      if (ConfigKeys.ROOTS.contains(holder.name())) {
        collect(holder, folderOf(file), inProject, servers, problems);
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
      ConfigMember root,
      Path folder,
      boolean starts,
      List<ClientServer> servers,
      ProblemCollector problems) {
    for (ConfigMember server : root.value().members()) {
      ConfigNode entry =
          root.name().equals("mcp_servers")
              ? SecondsForm.rewritten(server.value(), ServerNames.key(server.name()), problems)
              : server.value();
      if (moved(starts ? startedIn(folder, entry) : entry, folder).toJson()
          instanceof JsonObject json) {
        servers.add(new ClientServer(server.name(), json));
      } else {
        ConfigReader.noObject(server, problems);
      }
    }
  }

  /** A program without a {@code cwd} gets the folder. */
  private static ConfigNode startedIn(Path folder, ConfigNode entry) {
    ConfigNode cwd = entry.get("cwd");
    if (entry.get("command") == null || (cwd != null && !cwd.is(ValueType.NULL))) {
      return entry;
    }
    return entry.with("cwd", ConfigNode.text(entry.line(), folder.toString()));
  }

  /** The entry of a project's program, in a file of another folder. */
  static ConfigNode startedThere(Path project, ConfigNode entry) {
    return moved(startedIn(project, entry), project);
  }

  /**
   * The document of a project's file, such as {@code .vscode/mcp.json}: its client starts programs
   * in the project's folder. Any other document as it is.
   */
  static ConfigNode startedInProject(ConfigNode root, Path file, Path home) {
    Path folder = folderOf(file);
    boolean project = isOfSettings(file) || file.endsWith(".mcp.json");
    return project && !folder.equals(home)
        ? root.withServers(server -> server.with(startedIn(folder, server.value())))
        : root;
  }

  private static boolean isOfSettings(Path file) {
    return !folderOf(file).equals(file.toAbsolutePath().normalize().getParent());
  }

  /** Whether the file is certainly that of another program. */
  static boolean isOfProgram(Path file) {
    return isOfSettings(file) || FILES.contains(String.valueOf(file.getFileName()));
  }

  /**
   * The same meaning in a file of another folder: the folder and relative paths are written out.
   */
  private static ConfigNode moved(ConfigNode entry, Path folder) {
    return withAbsolute(
        entry.texts(text -> REFERENCE.matcher(text).replaceAll(found -> valueOf(found, folder))),
        folder);
  }

  private static String valueOf(MatchResult reference, Path folder) {
    String name = reference.group(1);
    return Matcher.quoteReplacement(
        Substitution.FOLDER.contains(name)
            ? folder.toString()
            : name.equals("workspaceFolderBasename")
                ? String.valueOf(folder.getFileName())
                : reference.group());
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
        members.add(member.with(ConfigNode.text(value.line(), path)));
      } else {
        members.add(member.with(withAbsolute(value, folder)));
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

  static @Nullable Path absolute(String project) {
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
