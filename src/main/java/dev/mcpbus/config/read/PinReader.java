package dev.mcpbus.config.read;

import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.read.ConfigNode.ValueType;
import dev.mcpbus.connection.options.PinOptions;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads {@code pin}: {@code true}, {@code false}, or hashes by tool name. */
final class PinReader {

  private static final Pattern HASH = Pattern.compile("sha256-[0-9a-f]{64}");

  private PinReader() {}

  static Optional<PinOptions> read(ConfigEntry entry) {
    ConfigNode value = entry.node().get("pin");
    if (value == null || value.is(ValueType.NULL)) {
      return Optional.empty();
    }
    if (value.is(ValueType.BOOLEAN)) {
      return entry.flag("pin").map(on -> on ? PinOptions.FIRST_USE : PinOptions.NONE);
    }
    if (!value.is(ValueType.OBJECT)) {
      entry.wrong(
          entry.line("pin"),
          "\"pin\" must be true, false or an object, not " + value.type().title,
          "Write \"pin\": true to pin every tool to its first definition");
      return Optional.empty();
    }
    Map<String, String> hashes = new LinkedHashMap<>();
    for (Map.Entry<String, String> pin : entry.wordMap("pin").entrySet()) {
      String hash = pin.getValue().strip().toLowerCase(Locale.ROOT);
      if (!HASH.matcher(hash).matches()) {
        entry.wrong(
            entry.line("pin"),
            MessageTexts.quote("pin." + pin.getKey()) + " is not the hash of a definition",
            "Take it from mcp.<id>.tools.drift: sha256- and 64 hex digits");
      }
      hashes.put(pin.getKey(), hash);
    }
    return Optional.of(hashes.isEmpty() ? PinOptions.NONE : new PinOptions(false, hashes));
  }
}
