package dev.mcpbus.connection;

import dev.mcpbus.protocol.RawJson;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One list of tools as the server sent it, with an index. Immutable. */
final class ToolTable {

  /** A tool and its validator, which is compiled at the first checked call. */
  static final class Tool {
    private final RawJson raw;
    private @Nullable ArgumentValidator validator;

    private Tool(RawJson raw) {
      this.raw = raw;
    }

    ArgumentValidator validator() {
      if (validator == null) {
        validator = ArgumentValidator.of(raw.member("inputSchema"));
      }
      return validator;
    }
  }

  private final RawJson list;
  private final Map<String, Tool> byName = new LinkedHashMap<>();
  private final List<String> duplicates = new ArrayList<>();

  ToolTable(RawJson list) {
    this.list = list;
    RawJson tools = list.member("tools");
    for (RawJson tool : tools == null ? List.<RawJson>of() : tools.elements()) {
      RawJson name = tool.member("name");
      if (name == null || !name.isString()) {
        continue;
      }
      String text = name.asString();
      if (byName.putIfAbsent(text, new Tool(tool)) != null) {
        duplicates.add(text);
      }
    }
  }

  /** The result of {@code tools/list}, all pages. */
  RawJson list() {
    return list;
  }

  int size() {
    return byName.size();
  }

  /** Names that the server listed more than once; the first of each counts. */
  List<String> duplicates() {
    return duplicates;
  }

  @Nullable Tool find(String name) {
    return byName.get(name);
  }

  /** {@code _meta} by tool name, for the tools that have one. */
  JsonObject metadata() {
    JsonObject all = new JsonObject();
    byName.forEach(
        (name, tool) -> {
          RawJson meta = tool.raw.member("_meta");
          if (meta != null && meta.isObject()) {
            all.put(name, meta.toJsonObject());
          }
        });
    return all;
  }
}
