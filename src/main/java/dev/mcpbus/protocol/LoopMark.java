package dev.mcpbus.protocol;

import java.util.Collection;
import java.util.Collections;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * The mark by which mcpbus detects a chain of gateways that leads back to itself. Results of
 * handshakes and of lists name each mcpbus that they have passed, in {@code _meta} under {@link
 * MetaKeys#VIA}. The results carry the mark, and not the requests, because only results make a list
 * grow. Stateless.
 */
public final class LoopMark {

  /** More than a useful chain has; further ids are ignored. */
  private static final int MAX_IDS = 64;

  private static final int MAX_LENGTH = 64;

  private static final Set<String> METHODS =
      Set.of(
          Methods.INITIALIZE,
          Methods.DISCOVER,
          Methods.TOOLS_LIST,
          Methods.RESOURCES_LIST,
          Methods.RESOURCES_TEMPLATES,
          Methods.SKILLS_LIST,
          Methods.PROMPTS_LIST);

  private LoopMark() {}

  /** True if results of the method carry the mark. */
  public static boolean marks(String method) {
    return METHODS.contains(method);
  }

  /** The ids in a result, sorted; empty if it has no mark. */
  public static NavigableSet<String> in(RawJson result) {
    RawJson meta = result.member("_meta");
    RawJson via = meta == null || !meta.isObject() ? null : meta.member(MetaKeys.VIA);
    return via == null || !via.isArray() ? Collections.emptyNavigableSet() : ids(via);
  }

  private static NavigableSet<String> ids(RawJson via) {
    NavigableSet<String> ids = new TreeSet<>();
    for (RawJson id : via.elements()) {
      if (id.isString() && id.length() <= MAX_LENGTH + 2 && ids.size() < MAX_IDS) {
        ids.add(id.asString());
      }
    }
    return ids;
  }

  /** Returns {@code result} with the mark. */
  public static RawJson put(RawJson result, Collection<String> ids) {
    RawJson meta = result.member("_meta");
    RawJson all = meta == null || !meta.isObject() ? RawJson.EMPTY_OBJECT : meta;
    RawJson via = RawJson.array(ids.stream().limit(MAX_IDS).map(RawJson::string).toList());
    return result.with("_meta", all.with(MetaKeys.VIA, via));
  }
}
