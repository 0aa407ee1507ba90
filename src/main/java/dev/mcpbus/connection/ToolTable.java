package dev.mcpbus.connection;

import dev.mcpbus.protocol.ArgumentValidator;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.ParamHeaders;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.Outbound;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One list of tools as the server sent it, with an index. Immutable. */
final class ToolTable {

  private static final Logger LOG = LoggerFactory.getLogger(ToolTable.class);

  /** A tool and its validator, which is compiled at the first checked call. */
  static final class Tool {
    private final RawJson raw;
    private final ParamHeaders headers;
    private @Nullable ArgumentValidator validator;

    private Tool(RawJson raw, ParamHeaders headers) {
      this.raw = raw;
      this.headers = headers;
    }

    /** The headers that mirror the call's arguments. */
    List<Outbound.Header> headers(BusCall call) {
      if (headers.isEmpty()) {
        return List.of();
      }
      return headers.values(call.params().member("arguments")).stream()
          .map(header -> new Outbound.Header(header.name(), header.value()))
          .toList();
    }

    /**
     * {@code execution.taskSupport}: {@code required}, {@code optional}, else {@code forbidden}.
     */
    String taskSupport() {
      RawJson execution = raw.member("execution");
      RawJson support = execution == null ? null : execution.member("taskSupport");
      return support == null || !support.isString() ? "forbidden" : support.asString();
    }

    ArgumentValidator validator() {
      if (validator == null) {
        validator = ArgumentValidator.of(raw.member("inputSchema"));
      }
      return validator;
    }
  }

  private final RawJson list;
  private final Definitions definitions;
  private final Map<String, Tool> byName = new LinkedHashMap<>();
  private final List<String> duplicates = new ArrayList<>();

  private ToolTable(RawJson list, Definitions definitions) {
    this.list = list;
    this.definitions = definitions;
  }

  /** A list whose tools travel in the body alone. */
  static ToolTable of(RawJson list) {
    ToolTable table = new ToolTable(list, Definitions.of(list));
    for (RawJson tool : tools(list)) {
      table.add(tool, ParamHeaders.NONE);
    }
    return table;
  }

  /**
   * A list of a server that wants arguments in headers as well: a tool whose annotations break the
   * rules is left out, alone (MCP 2026-07-28, x-mcp-header).
   */
  static ToolTable withHeaders(RawJson list) {
    List<RawJson> kept = new ArrayList<>();
    List<ParamHeaders> headers = new ArrayList<>();
    List<RawJson> all = tools(list);
    for (RawJson tool : all) {
      try {
        headers.add(ParamHeaders.of(tool.member("inputSchema")));
        kept.add(tool);
      } catch (ParamHeaders.InvalidSchemaException e) {
        LOG.warn("tool {} is left out: {}", tool.member("name"), e.getMessage());
      }
    }
    ToolTable table =
        new ToolTable(
            kept.size() == all.size() ? list : replaced(list, kept), Definitions.of(list));
    for (int i = 0; i < kept.size(); i++) {
      table.add(kept.get(i), headers.get(i));
    }
    return table;
  }

  private static List<RawJson> tools(RawJson list) {
    RawJson tools = list.member("tools");
    return tools == null ? List.of() : tools.elements();
  }

  private static RawJson replaced(RawJson list, List<RawJson> tools) {
    String array = tools.stream().map(RawJson::toString).collect(Collectors.joining(",", "[", "]"));
    return list.with("tools", RawJson.of(array));
  }

  private void add(RawJson tool, ParamHeaders headers) {
    RawJson name = tool.member("name");
    if (name != null
        && name.isString()
        && byName.putIfAbsent(name.asString(), new Tool(tool, headers)) != null) {
      duplicates.add(name.asString());
    }
  }

  /** The same without the tools of these names, which its {@code _meta} tells. */
  ToolTable without(Set<String> names) {
    List<RawJson> kept =
        tools(list).stream()
            .filter(
                tool -> {
                  RawJson name = tool.member("name");
                  return name == null || !name.isString() || !names.contains(name.asString());
                })
            .toList();
    RawJson meta = list.member("_meta");
    RawJson base = meta != null && meta.isObject() ? meta : RawJson.EMPTY_OBJECT;
    RawJson told = RawJson.of(new JsonArray(List.copyOf(names)).encode());
    ToolTable table =
        new ToolTable(
            replaced(list, kept).with("_meta", base.with(MetaKeys.QUARANTINED, told)), definitions);
    table.byName.putAll(byName);
    table.byName.keySet().removeAll(names);
    return table;
  }

  /** Of every tool that the server listed, those left out here included. */
  Definitions definitions() {
    return definitions;
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
