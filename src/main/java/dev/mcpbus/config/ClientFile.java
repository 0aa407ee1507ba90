package dev.mcpbus.config;

import dev.mcpbus.config.ConfigNode.ConfigMember;
import dev.mcpbus.config.ConfigNode.ValueType;
import dev.mcpbus.protocol.ServerId;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The servers in a file of an MCP client, such as Claude Code, as they are written there.
 * Immutable.
 *
 * @param servers in the order of the file; those of Claude Code's projects behind the others
 * @param problem why the file cannot be read, null if it can
 */
public record ClientFile(List<ClientServer> servers, @Nullable String problem) {

  /**
   * @param name as it is written
   * @param entry as it is written; it may hold secrets
   * @param folder in which the client starts the server, null for no certain one
   */
  public record ClientServer(String name, JsonObject entry, @Nullable Path folder) {

    /** Without the entry, which may hold secrets. */
    @Override
    public String toString() {
      return "ClientServer[" + name + "]";
    }
  }

  public ClientFile {
    servers = List.copyOf(servers);
  }

  /** Reads JSON with comments; blocks. A file without servers is no problem. */
  public static ClientFile read(Path file) {
    try {
      String text = BoundedFile.read(file, ParsedText.MAX_BYTES).orElse(null);
      if (text == null) {
        return broken("it is over 8 MiB");
      }
      ParsedText parsed = JsoncParser.parse(text);
      ConfigNode root = parsed.root();
      if (root == null) {
        ParsedText.Mistake first = parsed.mistakes().get(0);
        return broken("line " + first.line() + ": " + first.message());
      }
      return new ClientFile(servers(root, file), null);
    } catch (BoundedFile.NotUtf8Exception e) {
      return broken("it " + e.getMessage());
    } catch (IOException e) {
      return broken("it cannot be read");
    }
  }

  private static ClientFile broken(String problem) {
    return new ClientFile(List.of(), problem);
  }

  private static List<ClientServer> servers(ConfigNode root, Path file) {
    List<ClientServer> servers = new ArrayList<>();
    collect(root, projectOf(file), servers);
    ConfigNode settings = root.get("mcp"); // in VS Code's settings.json
    if (settings != null) {
      collect(settings, projectOf(file), servers);
    }
    ConfigNode projects = root.get("projects"); // in ~/.claude.json
    if (projects != null) {
      projects
          .members()
          .forEach(project -> collect(project.value(), folder(project.name()), servers));
    }
    return servers;
  }

  private static void collect(
      ConfigNode holder, @Nullable Path folder, List<ClientServer> servers) {
    for (ConfigMember root : holder.members()) {
      if (ConfigKeys.ROOTS.contains(root.name())) {
        for (ConfigMember server : root.value().members()) {
          if (server.value().is(ValueType.OBJECT)
              && server.value().toJson() instanceof JsonObject entry) {
            servers.add(new ClientServer(server.name(), entry, folder));
          }
        }
      }
    }
  }

  /** The folder of a project's own file; null for a file of the user. */
  private static @Nullable Path projectOf(Path file) {
    Path parent = file.toAbsolutePath().normalize().getParent();
    String name = parent == null ? "" : String.valueOf(parent.getFileName());
    if (parent != null && String.valueOf(file.getFileName()).equals(".mcp.json")) {
      return parent;
    }
    return parent != null && name.equals(".vscode") ? parent.getParent() : null;
  }

  private static @Nullable Path folder(String project) {
    try {
      Path folder = Path.of(project);
      return folder.isAbsolute() ? folder : null;
    } catch (java.nio.file.InvalidPathException e) {
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
