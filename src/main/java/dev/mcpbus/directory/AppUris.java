package dev.mcpbus.directory;

import dev.mcpbus.protocol.ByteSearch;
import dev.mcpbus.protocol.RawJson;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The resource that a tool names as its user interface: {@code _meta.ui.resourceUri}, and {@code
 * _meta["ui/resourceUri"]} of older servers (MCP Apps, SEP-1865). Stateless.
 */
final class AppUris {

  private static final ByteSearch MEMBER = new ByteSearch("resourceUri\"");
  private static final String META = "_meta";
  private static final String UI = "ui";
  private static final String URI = "resourceUri";
  private static final String FLAT = "ui/resourceUri";

  private AppUris() {}

  /** The URIs in the definition of a tool; empty for nearly all tools. */
  static Set<String> of(RawJson tool) {
    RawJson meta = MEMBER.isIn(tool) ? tool.member(META) : null;
    if (meta == null) {
      return Set.of();
    }
    Set<String> uris = new LinkedHashSet<>();
    RawJson ui = meta.member(UI);
    add(uris, ui == null ? null : ui.member(URI));
    add(uris, meta.member(FLAT));
    return uris.isEmpty() ? Set.of() : uris;
  }

  private static void add(Set<String> uris, @Nullable RawJson uri) {
    if (uri != null && uri.isString()) {
      uris.add(uri.asString());
    }
  }

  /**
   * A tool that names a user interface, with the clients' URIs of it.
   *
   * @param name from the server's own URI to that of the clients
   */
  static RawJson with(RawJson tool, UnaryOperator<String> name) {
    RawJson meta = tool.member(META);
    if (meta == null) {
      return tool;
    }
    RawJson ui = meta.member(UI);
    RawJson shown = ui == null ? meta : meta.with(UI, RenamedUris.in(ui, URI, name));
    return tool.with(META, RenamedUris.in(shown, FLAT, name));
  }
}
