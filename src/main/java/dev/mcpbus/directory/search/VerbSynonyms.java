package dev.mcpbus.directory.search;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Synonyms of the verbs that tool names and queries contain. Only verbs have synonyms here: there
 * are few of them, and without synonyms "open an issue" matches all tools for issues equally.
 * Stateless.
 */
final class VerbSynonyms {

  private static final List<List<String>> ALIKE =
      List.of(
          List.of("create", "add", "new", "make", "open", "insert", "register", "submit", "book"),
          List.of("get", "read", "show", "fetch", "view", "retrieve", "describe", "display", "see"),
          List.of("list", "all", "show", "every", "enumerate", "browse"),
          List.of("update", "edit", "modify", "change", "set", "patch", "rename"),
          List.of("delete", "remove", "drop", "destroy", "cancel", "erase"),
          List.of("search", "find", "look", "query", "lookup", "grep"),
          List.of("send", "post", "publish", "create"),
          List.of("run", "execute", "start", "trigger", "launch", "invoke"),
          List.of("stop", "abort", "kill", "end", "terminate", "cancel"),
          List.of("count", "many", "number", "total"),
          List.of("watch", "track", "follow", "monitor", "subscribe"),
          List.of("validate", "check", "verify", "lint"),
          List.of("move", "rename", "relocate"),
          List.of("export", "download"));

  private static final Map<String, Set<String>> BY_STEM = new HashMap<>();

  static {
    for (List<String> alike : ALIKE) {
      List<String> stems = alike.stream().map(VerbSynonyms::stem).toList();
      for (String stem : stems) {
        BY_STEM.computeIfAbsent(stem, first -> new LinkedHashSet<>()).addAll(stems);
      }
    }
    BY_STEM.forEach((stem, others) -> others.remove(stem));
  }

  private VerbSynonyms() {}

  private static String stem(String verb) {
    return WordTokenizer.STEMS.of(verb, 1).iterator().next();
  }

  /** Stems of the synonyms of a verb; none if it is no known verb. */
  static Set<String> like(String stem) {
    return BY_STEM.getOrDefault(stem, Set.of());
  }
}
