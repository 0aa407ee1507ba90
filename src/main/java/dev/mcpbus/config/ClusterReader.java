package dev.mcpbus.config;

import dev.mcpbus.bus.Wire;
import dev.mcpbus.cluster.ClusterOptions;
import dev.mcpbus.config.Substitution.Filled;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;

/** Reads {@code cluster}: how {@code --cluster} joins. */
final class ClusterReader {

  private ClusterReader() {}

  static ClusterOptions read(Entry entry) {
    ClusterOptions base = ClusterOptions.DEFAULT;
    List<String> members = words(entry, "members");
    for (String member : members) {
      if (member.isBlank()) {
        entry.wrong(entry.line("members"), "a member is empty", "Write \"host:port\"");
      }
    }
    if (!members.isEmpty() && entry.has("kubernetes")) {
      entry.wrong(
          entry.line("kubernetes"),
          "\"cluster.members\" and \"cluster.kubernetes\" are two ways to find the others",
          "Keep one of them");
    }
    return new ClusterOptions(
        entry.text("name").map(Filled::value).orElse(base.name()),
        entry.text("node").map(Filled::value).orElse(null),
        entry.text("host").map(Filled::value).orElse(null),
        entry.whole("port", 1, 65_535).orElse(base.port()),
        entry.whole("busPort", 0, 65_535).orElse(base.busPort()),
        members,
        entry.text("kubernetes").map(Filled::value).orElse(null),
        entry.whole("quorum", 0, 1_000).orElse(base.quorum()),
        new LinkedHashSet<>(words(entry, "labels")),
        entry.number("weight", 0.001, 1_000).orElse(base.weight()),
        entry.whole("wire", Wire.OLDEST, Wire.NEWEST).orElse(base.wire()));
  }

  private static List<String> words(Entry entry, String key) {
    List<String> words = new ArrayList<>();
    entry.texts(key).ifPresent(all -> all.forEach(word -> words.add(word.value())));
    return words;
  }
}
