package dev.mcpbus.gateway.request;

import dev.mcpbus.protocol.MetaKeys;
import dev.mcpbus.protocol.RawJson;
import java.util.Set;

/**
 * The params of a list request. MCP knows a cursor and {@code _meta}; a server may know more, such
 * as the language of the descriptions. Stateless.
 */
public final class ListParams {

  /** Members of {@code _meta}, besides {@link MetaKeys#DESCRIBING}, that decide no list. */
  private static final Set<String> COMMON =
      Set.of(MetaKeys.PROGRESS_TOKEN, MetaKeys.TRACEPARENT, MetaKeys.TRACESTATE, MetaKeys.BAGGAGE);

  private ListParams() {}

  /**
   * Whether the server itself answers a list, because the params may decide what it lists. The
   * answer is of this request alone: no list of the directory changes.
   */
  public static boolean goToServer(GatewayRequest request) {
    return request.isAsIs() && sayMore(request.params());
  }

  /** Params with a cursor do not: the cursor is one of mcpbus. */
  private static boolean sayMore(RawJson params) {
    if (params.member("cursor") != null) {
      return false;
    }
    for (String name : params.members().keySet()) {
      if (!name.equals("_meta") && !name.equals("cursor")) {
        return true;
      }
    }
    RawJson meta = params.member("_meta");
    return meta != null
        && meta.members().keySet().stream()
            .anyMatch(name -> !COMMON.contains(name) && !MetaKeys.DESCRIBING.contains(name));
  }
}
