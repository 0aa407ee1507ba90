package dev.mcpbus.cli.imports;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Where MCP clients keep their servers, on Linux, macOS and Windows. Stateless; blocks on files.
 */
final class ClientPlaces {

  /** Folders of applications' settings, relative to the home directory: one for each system. */
  private static final List<String> SETTINGS =
      List.of(".config", "Library/Application Support", "AppData/Roaming");

  private static final String CLINE =
      "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json";

  /**
   * @param client whose file it is, for people
   * @param file that exists
   */
  record ClientPlace(String client, Path file) {}

  private ClientPlaces() {}

  /**
   * The files that exist: those of the user, then those of the project.
   *
   * @param project the working directory
   */
  static List<ClientPlace> find(Path home, Path project) {
    List<ClientPlace> places = new ArrayList<>();
    SETTINGS.forEach(
        settings ->
            add(places, "Claude Desktop", home, settings + "/Claude/claude_desktop_config.json"));
    add(places, "Claude Code", home, ".claude.json");
    SETTINGS.forEach(
        settings -> {
          add(places, "VS Code", home, settings + "/Code/User/mcp.json");
          add(places, "VS Code", home, settings + "/Code/User/settings.json");
        });
    add(places, "Cursor", home, ".cursor/mcp.json");
    add(places, "Windsurf", home, ".codeium/windsurf/mcp_config.json");
    SETTINGS.forEach(settings -> add(places, "Cline", home, settings + "/" + CLINE));
    add(places, "Gemini", home, ".gemini/settings.json");
    add(places, "Claude Code", project, ".mcp.json");
    add(places, "VS Code", project, ".vscode/mcp.json");
    add(places, "Cursor", project, ".cursor/mcp.json");
    add(places, "Gemini", project, ".gemini/settings.json");
    return places;
  }

  private static void add(List<ClientPlace> places, String client, Path base, String file) {
    Path path = base.resolve(file);
    if (Files.isRegularFile(path) && places.stream().noneMatch(p -> p.file().equals(path))) {
      places.add(new ClientPlace(client, path));
    }
  }
}
