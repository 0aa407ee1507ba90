package dev.mcpbus.cli.imports;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where MCP clients keep their servers, on Linux, macOS and Windows. Stateless; blocks on files.
 */
final class ClientPlaces {

  /** Folders of applications' settings, relative to the home directory: one for each system. */
  private static final List<String> SETTINGS =
      List.of(".config", "Library/Application Support", "AppData/Roaming");

  /** Clients and their files below the settings of applications. */
  private static final String[][] OF_SETTINGS = {
    {"Claude Desktop", "Claude/claude_desktop_config.json"},
    {"VS Code", "Code/User/mcp.json"},
    {"VS Code", "Code/User/settings.json"},
    {"VS Code Insiders", "Code - Insiders/User/mcp.json"},
    {"VSCodium", "VSCodium/User/mcp.json"},
    {"Cline", "Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"},
    {"Roo", "Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json"},
    {"Kilo Code", "Code/User/globalStorage/kilocode.kilo-code/settings/mcp_settings.json"},
    {"Zed", "zed/settings.json"},
    {"Zed", "Zed/settings.json"},
    {"opencode", "opencode/opencode.json"},
    {"opencode", "opencode/opencode.jsonc"},
    {"opencode", "opencode/config.json"},
    {"Kilo Code", "kilo/kilo.json"},
    {"Goose", "goose/config.yaml"},
    {"Goose", "Block/goose/config/config.yaml"},
    {"Crush", "crush/crush.json"},
    {"Amp", "amp/settings.json"},
    {"Copilot", "github-copilot/intellij/mcp.json"},
  };

  /** Clients and their files below the home directory. */
  private static final String[][] OF_HOME = {
    {"Claude Code", ".claude.json"},
    {"Cursor", ".cursor/mcp.json"},
    {"Windsurf", ".codeium/windsurf/mcp_config.json"},
    {"Gemini", ".gemini/settings.json"},
    {"Antigravity", ".gemini/antigravity/mcp_config.json"},
    {"Qwen", ".qwen/settings.json"},
    {"Codex", ".codex/config.toml"},
    {"Copilot", ".copilot/mcp-config.json"},
    {"Continue", ".continue/config.yaml"},
    {"Continue", ".continue/config.json"},
    {"Amazon Q", ".aws/amazonq/mcp.json"},
    {"Amazon Q", ".aws/amazonq/default.json"},
    {"Kiro", ".kiro/settings/mcp.json"},
    {"Junie", ".junie/mcp/mcp.json"},
    {"LM Studio", ".lmstudio/mcp.json"},
    {"LM Studio", ".cache/lm-studio/mcp.json"},
    {"Augment", ".augment/settings.json"},
    {"Factory", ".factory/mcp.json"},
    {"Crush", ".crush.json"},
    {"Hermes", ".hermes/config.yaml"},
    {"Kimi", ".kimi/mcp.json"},
    {"Vibe", ".vibe/config.toml"},
    {"iFlow", ".iflow/settings.json"},
    {"Visual Studio", ".mcp.json"},
  };

  /** Clients and their files in the folder of a project. */
  private static final String[][] OF_PROJECT = {
    {"Claude Code", ".mcp.json"},
    {"VS Code", ".vscode/mcp.json"},
    {"VS Code", ".vscode/settings.json"},
    {"Cursor", ".cursor/mcp.json"},
    {"Gemini", ".gemini/settings.json"},
    {"Qwen", ".qwen/settings.json"},
    {"Codex", ".codex/config.toml"},
    {"Roo", ".roo/mcp.json"},
    {"Kilo Code", ".kilocode/mcp.json"},
    {"Zed", ".zed/settings.json"},
    {"Visual Studio", ".vs/mcp.json"},
    {"Vibe", ".vibe/config.toml"},
    {"iFlow", ".iflow/settings.json"},
    {"opencode", ".opencode/opencode.json"},
    {"opencode", "opencode.json"},
    {"opencode", "opencode.jsonc"},
    {"Crush", "crush.json"},
    {"Crush", ".crush.json"},
    {"Amp", ".amp/settings.json"},
    {"Amazon Q", ".amazonq/mcp.json"},
    {"Amazon Q", ".amazonq/default.json"},
    {"Kiro", ".kiro/settings/mcp.json"},
    {"Junie", ".junie/mcp/mcp.json"},
    {"Trae", ".trae/mcp.json"},
    {"Factory", ".factory/mcp.json"},
    {"LibreChat", "librechat.yaml"},
  };

  /** The folder in which Continue has a file for each server. */
  private static final Path BLOCKS = Path.of(".continue", "mcpServers");

  private static final int MAX_BLOCKS = 100;

  /**
   * @param client whose file it is, for people
   * @param file that exists
   * @param inProject whether the client starts the file's programs in the folder of a project
   */
  record ClientPlace(String client, Path file, boolean inProject) {}

  private ClientPlaces() {}

  /**
   * The files that exist: those of the user, then those of the project.
   *
   * @param project the working directory
   */
  static List<ClientPlace> find(Path home, Path project) {
    List<ClientPlace> places = new ArrayList<>();
    ofUser(home).forEach(place -> add(places, place));
    blocks(home, false).forEach(place -> add(places, place));
    for (String[] one : OF_PROJECT) {
      add(places, new ClientPlace(one[0], project.resolve(one[1]), true));
    }
    blocks(project, true).forEach(place -> add(places, place));
    return places;
  }

  /** A file that a person names: of the user where it is at such a place, else of a project. */
  static ClientPlace named(Path home, Path file) {
    boolean user =
        file.endsWith("claude_desktop_config.json")
            || ofUser(home).stream().anyMatch(place -> place.file().equals(file));
    return new ClientPlace("file", file, !user);
  }

  private static List<ClientPlace> ofUser(Path home) {
    List<ClientPlace> all = new ArrayList<>();
    for (String[] one : OF_SETTINGS) {
      for (String settings : SETTINGS) {
        all.add(new ClientPlace(one[0], home.resolve(settings).resolve(one[1]), false));
      }
    }
    for (String[] one : OF_HOME) {
      all.add(new ClientPlace(one[0], home.resolve(one[1]), false));
    }
    return all;
  }

  private static List<ClientPlace> blocks(Path base, boolean inProject) {
    try (Stream<Path> files = Files.list(base.resolve(BLOCKS))) {
      return files
          .filter(file -> file.toString().matches(".*\\.(yaml|yml|json)"))
          .sorted()
          .limit(MAX_BLOCKS)
          .map(file -> new ClientPlace("Continue", file, inProject))
          .toList();
    } catch (IOException none) {
      return List.of();
    }
  }

  private static void add(List<ClientPlace> places, ClientPlace place) {
    if (Files.isRegularFile(place.file())
        && places.stream().noneMatch(known -> known.file().equals(place.file()))) {
      places.add(place);
    }
  }
}
