package dev.mcpbus.bench.gate;

import java.util.Locale;

/** What has a budget. */
enum GateRow {
  /** From a verticle to a child process. */
  BUS_STDIO,
  /** From a verticle to a server over Streamable HTTP. */
  BUS_HTTP,
  /** The same server by {@code /mcp}, for a client of 2025-11-25 and one of 2026-07-28. */
  MCP_INITIALIZE,
  MCP_DISCOVER,
  /** And by {@code POST /api/servers/<id>/tools/<tool>}. */
  REST,
  /** A connection over HTTP that nobody calls. */
  IDLE;

  /** Its name in {@code budget.json}. */
  String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
