package dev.mcpbus.connection;

import dev.mcpbus.protocol.ArgumentValidator;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.ParamHeaders;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.SchemaShape;
import dev.mcpbus.transport.Outbound;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One list of tools as the server sent it, with an index. Immutable. */
final class ToolTable {

  private static final Logger LOG = LoggerFactory.getLogger(ToolTable.class);

  /** More tools that were left out than this are counted only. */
  private static final int MAX_REASONS = 100;

  private static final int MAX_SHOWN = 200;

  /** A tool and its validators, which are made at the first checked call. */
  static final class Tool {
    private final RawJson raw;
    private final ParamHeaders headers;
    private @Nullable ArgumentValidator validator;
    private @Nullable ArgumentValidator output;

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

    ArgumentValidator validator() {
      if (validator == null) {
        validator = ArgumentValidator.of(raw.member("inputSchema"));
      }
      return validator;
    }

    boolean hasOutputSchema() {
      return raw.member("outputSchema") != null;
    }

    /** Of the structured content of its results. */
    ArgumentValidator output() {
      if (output == null) {
        output = ArgumentValidator.of(raw.member("outputSchema"));
      }
      return output;
    }
  }

  private final RawJson list;
  private final Map<String, Tool> byName = new LinkedHashMap<>();
  private final List<String> duplicates = new ArrayList<>();

  private final JsonObject leftOut = new JsonObject();

  private ToolTable(RawJson list, boolean mirrors) {
    List<RawJson> kept = new ArrayList<>();
    RawJson tools = list.member("tools");
    List<RawJson> all = tools == null ? List.of() : tools.elements();
    for (RawJson tool : all) {
      String fault = fault(tool);
      try {
        if (fault == null) {
          RawJson schema = mirrors ? tool.member("inputSchema") : null;
          add(tool, ParamHeaders.of(schema));
          kept.add(tool);
        }
      } catch (ParamHeaders.InvalidSchemaException e) {
        fault = String.valueOf(e.getMessage());
      }
      if (fault != null) {
        leaveOut(tool.member("name"), fault);
      }
    }
    this.list = kept.size() == all.size() ? list : replaced(list, kept);
  }

  /**
   * An index of {@code list}. A tool whose schemas cannot be used is left out, alone, and the list
   * says why: in {@code _meta} under {@link MetaKeys#LEFT_OUT}. Takes as long as reading the list.
   *
   * @param mirrors true for a server that wants arguments in headers as well: a tool whose
   *     annotations break the rules is left out too (MCP 2026-07-28, x-mcp-header)
   */
  static ToolTable of(RawJson list, boolean mirrors) {
    return new ToolTable(list, mirrors);
  }

  private static @Nullable String fault(RawJson tool) {
    for (String word : List.of("inputSchema", "outputSchema")) {
      RawJson schema = tool.member(word);
      if (schema != null) {
        String fault = schemaFault(schema);
        if (fault != null) {
          return "its " + word + " cannot be used: " + fault;
        }
      }
    }
    return null;
  }

  private static @Nullable String schemaFault(RawJson schema) {
    if (!schema.isObject()) {
      return "it is not an object";
    }
    if (schema.length() > ArgumentValidator.MAX_SCHEMA_BYTES) {
      return schema.length()
          + " bytes are more than the limit of "
          + ArgumentValidator.MAX_SCHEMA_BYTES;
    }
    try {
      return SchemaShape.fault(schema);
    } catch (DecodeException e) {
      return "it cannot be decoded";
    }
  }

  private void leaveOut(@Nullable RawJson rawName, String fault) {
    String name = rawName != null && rawName.isString() ? rawName.asString() : "?";
    LOG.debug("tool {} is left out: {}", shown(name), shown(fault));
    if (leftOut.size() < MAX_REASONS) {
      leftOut.put(shown(name), shown(fault));
    }
  }

  private static String shown(String text) {
    return text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "..." : text;
  }

  private RawJson replaced(RawJson whole, List<RawJson> tools) {
    String array = tools.stream().map(RawJson::toString).collect(Collectors.joining(",", "[", "]"));
    RawJson meta = whole.member("_meta");
    RawJson base = meta == null || !meta.isObject() ? RawJson.EMPTY_OBJECT : meta;
    return whole
        .with("tools", RawJson.of(array))
        .with("_meta", base.with(MetaKeys.LEFT_OUT, RawJson.of(leftOut)));
  }

  private void add(RawJson tool, ParamHeaders headers) {
    RawJson name = tool.member("name");
    if (name != null
        && name.isString()
        && byName.putIfAbsent(name.asString(), new Tool(tool, headers)) != null) {
      duplicates.add(name.asString());
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

  /** How many there are, and what was left out. */
  JsonObject summary() {
    JsonObject summary = new JsonObject().put("tools", size());
    return leftOut.isEmpty() ? summary : summary.put("leftOut", leftOut.copy());
  }

  /** Why a tool of the server is not in here, by its name. */
  JsonObject leftOut() {
    return leftOut;
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
