package dev.mcpbus.directory;

import dev.mcpbus.protocol.ParamHeaders;
import dev.mcpbus.protocol.RawJson;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * URIs of skills in a view (SEP-2640). The files of a skill have the name of its {@code SKILL.md}:
 * where that one is renamed because two servers have the same URI, so are they all. Pure functions.
 */
public final class SkillNames {

  private static final String FILE = "/SKILL.md";
  private static final String URI = "uri";

  /** Characters: each directory of a URI is looked up, so the time grows with the square. */
  private static final int MAX_URI = 4_096;

  private SkillNames() {}

  /** The entry of a skill with other URIs, those of its files included. */
  public static RawJson renamed(RawJson entry, UnaryOperator<String> name) {
    RawJson resources = entry.member("resources");
    RawJson own = RenamedUris.in(entry, URI, name);
    return resources == null || !resources.isArray()
        ? own
        : own.with("resources", renamedAll(resources, name));
  }

  /** The URIs of the files in the entry of a skill. */
  static Set<String> files(RawJson entry) {
    RawJson resources = entry.member("resources");
    return resources == null
        ? Set.of()
        : resources.elements().stream()
            .map(file -> file.isObject() ? file.member(URI) : null)
            .filter(uri -> uri != null && uri.isString())
            .map(RawJson::asString)
            .collect(Collectors.toUnmodifiableSet());
  }

  /** The objects of a list with other URIs; the same bytes where no URI differs. */
  public static RawJson renamedAll(RawJson list, UnaryOperator<String> name) {
    List<RawJson> own = list.elements();
    List<RawJson> all = own.stream().map(each -> RenamedUris.in(each, URI, name)).toList();
    return all.equals(own) ? list : RawJson.array(all);
  }

  /**
   * The server of a file or a directory of a listed skill; of nested skills the inner one decides,
   * which is of the same server.
   *
   * @param skills the view's list of skills
   * @param uri as the clients of the view write it
   * @return null if no listed skill contains it, or if it has more than 4,096 characters
   */
  public static ViewList.@Nullable Target owner(ViewList skills, String uri) {
    if (uri.length() > MAX_URI) {
      return null;
    }
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
