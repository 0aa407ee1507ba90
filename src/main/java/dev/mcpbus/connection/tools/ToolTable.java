package dev.mcpbus.connection.tools;

import dev.mcpbus.connection.options.ToolPolicy;
import dev.mcpbus.connection.session.BusCall;
import dev.mcpbus.connection.tasks.ToolCallSender;
import dev.mcpbus.protocol.Era;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.ParamHeaders;
import dev.mcpbus.protocol.Quirks;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.schema.ArgumentValidator;
import dev.mcpbus.protocol.schema.EntryShape;
import dev.mcpbus.protocol.schema.EntryShape.ShapedEntry;
import dev.mcpbus.protocol.schema.WellFormedSchema;
import dev.mcpbus.transport.OutboundMessage;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One list of tools as the server sent it, with an index by name. {@link ToolCallPipeline} finds
 * tools in it. Its list does not change; validators are made at their first use, on the
 * connection's context.
 */
public final class ToolTable {

  private static final String TOOLS = "tools";
  private static final RawJson OBJECT = RawJson.string("object");

  /** A tool and its validators, which the first checked call makes. */
  public static final class ListedTool {
    private final RawJson raw;
    private final RawJson usable;
    private final ParamHeaders headers;
    private final boolean hasOutput;
    private final String taskSupport;
    private String name = "";
    private @Nullable ArgumentValidator validator;
    private @Nullable ArgumentValidator output;

    /**
     * @param usable the tool with the schemas that calls are checked against
     */
    private ListedTool(RawJson raw, RawJson usable, ParamHeaders headers) {
      this.raw = raw;
      this.usable = usable;
      this.headers = headers;
      this.hasOutput = usable.member("outputSchema") != null;
      this.taskSupport = taskSupport(raw);
    }

    /** The name that the server lists it by. */
    String name() {
      return name;
    }

    /** The headers that mirror the call's arguments. */
    List<OutboundMessage.MessageHeader> headers(BusCall call) {
      if (headers.isEmpty()) {
        return List.of();
      }
      return headers.values(call.params().member("arguments")).stream()
          .map(header -> new OutboundMessage.MessageHeader(header.name(), header.value()))
          .toList();
    }

    /**
     * {@code execution.taskSupport}: {@code required}, {@code optional}, else {@code forbidden}.
     */
    String taskSupport() {
      return taskSupport;
    }

    private static String taskSupport(RawJson tool) {
      RawJson execution = tool.member("execution");
      RawJson support = execution == null ? null : execution.member("taskSupport");
      return support == null || !support.isString() ? ToolCallSender.NO_TASK : support.asString();
    }

    ArgumentValidator validator() {
      if (validator == null) {
        validator = ArgumentValidator.of(usable.member("inputSchema"));
      }
      return validator;
    }

    boolean hasOutputSchema() {
      return hasOutput;
    }

    /** The validator of the structured content of results. */
    ArgumentValidator output() {
      if (output == null) {
        output = ArgumentValidator.of(usable.member("outputSchema"));
      }
      return output;
    }
  }

  private final RawJson list;
  private final ToolDefinitions definitions;
  private final Map<String, ListedTool> byName = new LinkedHashMap<>();
  private final List<String> duplicates = new ArrayList<>();

  private final JsonObject leftOut;

  private ToolTable(RawJson list, ToolDefinitions definitions, JsonObject leftOut) {
    this.list = list;
    this.definitions = definitions;
    this.leftOut = leftOut;
  }

  /**
   * Makes the table of {@code all}. Leaves out each tool whose schemas cannot be used, and adds the
   * reason to the list: in {@code _meta} under {@link MetaKeys#LEFT_OUT}. Takes as long as reading
   * the list.
   *
   * @param policy leaves out tools without a reason, as if the server did not have them
   * @param mirrors true for a server that wants arguments in headers as well; then a tool whose
   *     annotations break the rules is left out too (MCP 2026-07-28, x-mcp-header)
   * @param era of the server
   * @param quirks decides about a tool that can be mended
   */
  static ToolTable of(RawJson all, ToolPolicy policy, boolean mirrors, Era era, Quirks quirks) {
    RawJson list = policy.restrict(all);
    List<ListedTool> kept = new ArrayList<>();
    List<RawJson> mended = new ArrayList<>();
    InvalidTools leftOut = new InvalidTools();
    for (RawJson tool : InvalidTools.entries(list, TOOLS)) {
      RawJson name = tool.member("name");
      ShapedEntry shape = EntryShape.of(TOOLS, "name", tool, false);
      String fault = fault(tool, shape.entry());
      boolean whole = false;
      if (fault != null && tool.isObject()) {
        ShapedEntry more = EntryShape.of(TOOLS, "name", tool, true);
        whole = fault(tool, more.entry()) == null;
        fault = whole ? null : fault;
        shape = whole ? more : shape;
      }
      try {
        if (fault == null) {
          ParamHeaders headers =
              ParamHeaders.of(mirrors ? shape.entry().member("inputSchema") : null);
          boolean odd = shape.isMended() || (era == Era.INITIALIZE && hasOtherOutput(tool));
          if (leftOut.carries(name, shape, odd, quirks)) {
            kept.add(new ListedTool(tool, shape.entry(), headers));
            if (whole && name != null) {
              mended.add(name);
            }
          }
        }
      } catch (ParamHeaders.InvalidSchemaException e) {
        fault = String.valueOf(e.getMessage());
      }
      if (fault != null) {
        leftOut.add(name, fault);
      }
    }
    List<RawJson> rest = kept.stream().map(tool -> tool.raw).toList();
    RawJson usable = leftOut.rest(list, TOOLS, rest);
    if (!mended.isEmpty()) {
      usable = InvalidTools.replaced(usable, TOOLS, rest, MetaKeys.MENDED, RawJson.array(mended));
    }
    ToolTable table = new ToolTable(usable, ToolDefinitions.of(list), leftOut.reasons());
    kept.forEach(table::add);
    return table;
  }

  /** Before 2026-07-28 the structured content of a result is an object. */
  private static boolean hasOtherOutput(RawJson tool) {
    RawJson output = tool.member("outputSchema");
    RawJson type = output == null ? null : output.member("type");
    return output != null && !OBJECT.equals(type);
  }

  /**
   * @param shaped the tool as clients read it
   */
  private static @Nullable String fault(RawJson tool, RawJson shaped) {
    String ambiguity = tool.ambiguity();
    if (ambiguity != null) {
      return ambiguity;
    }
    for (String word : List.of("inputSchema", "outputSchema")) {
      RawJson schema = shaped.member(word);
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
      return WellFormedSchema.fault(schema);
    } catch (DecodeException e) {
      return "it cannot be decoded";
    }
  }

  private void add(ListedTool tool) {
    RawJson name = tool.raw.member("name");
    if (name == null || !name.isString()) {
      return;
    }
    tool.name = name.asString();
    if (byName.putIfAbsent(tool.name, tool) != null) {
      duplicates.add(tool.name);
    }
  }

  /** The table without the tools of these names; {@code _meta} of the list names them. */
  ToolTable without(Set<String> names) {
    List<RawJson> kept =
        InvalidTools.entries(list, TOOLS).stream()
            .filter(
                tool -> {
                  RawJson name = tool.member("name");
                  return name == null || !name.isString() || !names.contains(name.asString());
                })
            .toList();
    RawJson omitted = RawJson.of(new JsonArray(List.copyOf(names)).encode());
    ToolTable table =
        new ToolTable(
            InvalidTools.replaced(list, TOOLS, kept, MetaKeys.QUARANTINED, omitted),
            definitions,
            leftOut);
    table.byName.putAll(byName);
    table.byName.keySet().removeAll(names);
    return table;
  }

  /** The definitions of every tool that exists for callers, also of those left out for a fault. */
  ToolDefinitions definitions() {
    return definitions;
  }

  /** The result of {@code tools/list}, all pages. */
  public RawJson list() {
    return list;
  }

  public int size() {
    return byName.size();
  }

  /** The names that the server listed more than once; the first tool of a name counts. */
  public List<String> duplicates() {
    return duplicates;
  }

  /** The number of tools, and the tools left out with their reasons. */
  JsonObject summary() {
    JsonObject summary = new JsonObject().put("tools", size());
    return leftOut.isEmpty() ? summary : summary.put("leftOut", leftOut.copy());
  }

  /** The reasons for the tools that are left out, by name. */
  public JsonObject leftOut() {
    return leftOut;
  }

  /** The names of the tools, in the order of the list. */
  Set<String> names() {
    return byName.keySet();
  }

  @Nullable ListedTool find(String name) {
    return byName.get(name);
  }

  /** {@code _meta} by tool name, for the tools that have one. */
  public JsonObject metadata() {
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
