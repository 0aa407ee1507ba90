package dev.mcpbus.directory;

import dev.mcpbus.protocol.ParamHeaders;
import dev.mcpbus.protocol.RawJson;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * URIs of skills in a view (SEP-2640). The files of a skill have the name of its {@code SKILL.md}:
 * where that one is renamed because two servers have the same URI, so are they all. Pure functions.
 */
public final class SkillNames {

  private static final String FILE = "/SKILL.md";

  private SkillNames() {}

  /** The entry of a skill with other URIs, those of its files included. */
  public static RawJson renamed(RawJson entry, UnaryOperator<String> name) {
    RawJson resources = entry.member("resources");
    RawJson own = withUri(entry, name);
    return resources == null || !resources.isArray()
        ? own
        : own.with("resources", renamedAll(resources, name));
  }

  /** The objects of a list with other URIs. */
  public static RawJson renamedAll(RawJson list, UnaryOperator<String> name) {
    List<RawJson> all = list.elements().stream().map(each -> withUri(each, name)).toList();
    return RawJson.array(all);
  }

  private static RawJson withUri(RawJson object, UnaryOperator<String> name) {
    RawJson uri = object.isObject() ? object.member("uri") : null;
    return uri == null || !uri.isString()
        ? object
        : object.with("uri", RawJson.string(name.apply(uri.asString())));
  }

  /**
   * The server of a file or a directory of a listed skill; of nested skills the inner one decides,
   * which is of the same server.
   *
   * @param skills the view's list of skills
   * @param uri as the clients of the view write it
   * @return null if no listed skill contains it
   */
  public static ViewList.@Nullable Target owner(ViewList skills, String uri) {
    for (int end = uri.length(); end > 0; end = uri.lastIndexOf('/', end - 1)) {
      ViewList.Target skill = skills.find(uri.substring(0, end) + FILE);
      if (skill != null) {
        String root = skill.key().substring(0, skill.key().length() - FILE.length());
        return new ViewList.Target(
            skill.server(), root + uri.substring(end), uri, ParamHeaders.NONE);
      }
    }
    return null;
  }
}
