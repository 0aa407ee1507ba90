package dev.mcpbus.cli.stdio;

import dev.mcpbus.protocol.HeaderValue;
import dev.mcpbus.protocol.McpHeaders;
import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.Methods;
import dev.mcpbus.protocol.ParamHeaders;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.transport.OutboundMessage.MessageHeader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The headers by which a request of the {@code discover} era repeats its body (MCP 2026-07-28,
 * Streamable HTTP, Request Metadata). Which arguments of a tool are repeated, lists of tools say:
 * it learns from those that pass. Confined to the bridge's context.
 */
final class RequestMetadata {

  /** Tools with such arguments are rare; the eldest is forgotten, and learned again. */
  private static final int MAX_TOOLS = 10_000;

  private final Map<String, ParamHeaders> byTool =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, ParamHeaders> eldest) {
          return size() > MAX_TOOLS;
        }
      };

  /** {@code _meta} where it names a version, as each request of the era does; else null. */
  static @Nullable RawJson meta(RawJson params) {
    RawJson meta = params.member("_meta");
    return meta != null && meta.isObject() && meta.member(MetaKeys.PROTOCOL_VERSION) != null
        ? BridgeRequest.copy(meta)
        : null;
  }

  /** {@code meta} with the name of its client; the same object if the client has named itself. */
  static RawJson named(RawJson meta, RawJson client) {
    return meta.member(MetaKeys.CLIENT) == null ? meta.withNew(MetaKeys.CLIENT, client) : meta;
  }

  List<MessageHeader> headers(String method, RawJson params, RawJson meta) {
    List<MessageHeader> headers = new ArrayList<>(4);
    RawJson version = meta.member(MetaKeys.PROTOCOL_VERSION);
    if (version != null && version.isString()) {
      add(headers, McpHeaders.PROTOCOL_VERSION, version.asString());
    }
    add(headers, McpHeaders.METHOD, method);
    String member = McpHeaders.NAMED_BY.get(method);
    RawJson name = member == null ? null : params.member(member);
    if (name != null && name.isString()) {
      add(headers, McpHeaders.NAME, name.asString());
      if (method.equals(Methods.TOOLS_CALL)) {
        byTool
            .getOrDefault(name.asString(), ParamHeaders.NONE)
            .values(params.member("arguments"))
            .forEach(header -> headers.add(new MessageHeader(header.name(), header.value())));
      }
    }
    return headers;
  }

  private static void add(List<MessageHeader> headers, CharSequence name, String value) {
    headers.add(new MessageHeader(name, HeaderValue.encode(value)));
  }

  /** Reads the result of {@code tools/list}. */
  void learn(RawJson result) {
    RawJson tools = result.member("tools");
    if (tools == null || !tools.isArray()) {
      return;
    }
    for (RawJson tool : tools.elements()) {
      RawJson name = tool.isObject() ? tool.member("name") : null;
      if (name != null && name.isString()) {
        learn(name.asString(), tool.member("inputSchema"));
      }
    }
  }

  private void learn(String tool, @Nullable RawJson schema) {
    try {
      ParamHeaders headers = ParamHeaders.of(schema);
      if (headers.isEmpty()) {
        byTool.remove(tool);
      } else {
        byTool.put(tool, headers);
      }
    } catch (ParamHeaders.InvalidSchemaException e) {
      byTool.remove(tool); // the gateway does not offer such a tool
    }
  }
}
