package dev.mcpbus.config.read;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.protocol.Printable;
import dev.mcpbus.protocol.ServerId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The ids of the servers of a file, by their names: {@link ServerId}. Names that mean the same
 * server are refused together. Stateless.
 */
public final class ServerNames {

  /** As many characters may a name have. Registries allow 200. */
  static final int MAX_LENGTH = 1_000;

  private ServerNames() {}

  /**
   * The ids of all valid names. Each group of names that would share an id is one fatal problem; a
   * name that cannot become an id is a problem of its server.
   */
  static Map<String, ConnectionId> ids(List<ConfigMember> servers, ProblemCollector problems) {
    Map<String, List<ConfigMember>> groups = new LinkedHashMap<>();
    for (ConfigMember server : servers) {
      groups.computeIfAbsent(ServerId.of(server.name()), key -> new ArrayList<>()).add(server);
    }
    Map<String, ConnectionId> ids = new LinkedHashMap<>();
    groups.forEach(
        (id, group) -> {
          if (group.size() > 1 && !id.isEmpty()) {
            conflict(id, group, problems);
          }
          for (ConfigMember server : group) {
            String wrong = problem(server.name());
            if (wrong.isEmpty()) {
              ids.put(server.name(), new ConnectionId(id));
              told(server, id, problems);
            } else if (!off(server.value())) {
              problems.add(server.line(), key(server.name()), wrong, "Choose another name");
            }
          }
        });
    return ids;
  }

  private static void told(ConfigMember server, String id, ProblemCollector problems) {
    if (ServerId.isHashed(id) && !server.name().equals(id) && !off(server.value())) {
      problems.note(
          server.line(),
          server.name(),
          "its id is " + id,
          "Addresses of the bus, metrics and names of tools have the id; commands, paths, policies"
              + " and views take the name, too");
    }
  }

  /** Whether the entry is disabled: an invalid name of it is not reported, a conflict is. */
  static boolean off(ConfigNode server) {
    ConfigNode disabled = server.get("disabled");
    ConfigNode enabled = server.get("enabled");
    return (disabled != null && disabled.text().equals("true"))
        || (enabled != null && enabled.text().equals("false"));
  }

  /** The problem of a name, empty if there is none. */
  static String problem(String name) {
    if (ServerId.of(name).isEmpty()) {
      return "a server needs a name of more than blanks, hyphens and underscores";
    }
    if (name.length() > MAX_LENGTH) {
      return "the name is over " + MAX_LENGTH + " characters long";
    }
    String hidden =
        name.codePoints()
            .filter(ServerNames::isRefused)
            .mapToObj(ServerNames::named)
            .distinct()
            .limit(3)
            .collect(Collectors.joining(", "));
    return hidden.isEmpty() ? "" : "the name has characters that nobody sees: " + hidden;
  }

  /** Joiners and variation selectors stay: emoji and several scripts are written with them. */
  private static boolean isRefused(int c) {
    int type = Character.getType(c);
    boolean isOfScripts =
        c == 0x200C
            || c == 0x200D
            || type == Character.NON_SPACING_MARK
            || type == Character.UNASSIGNED;
    return Printable.isHidden(c) && !isOfScripts;
  }

  public static String named(int c) {
    int ascii = ServerId.ascii(c);
    String looks = ascii == c ? "" : " that looks like '" + Character.toString(ascii) + "'";
    String name = Character.getName(c);
    return String.format(Locale.ROOT, "U+%04X", c) + (name == null ? "" : " " + name) + looks;
  }

  /** The name by which problems know their server: as written, if no name is too long. */
  public static String key(String name) {
    return name.length() > MAX_LENGTH ? name.substring(0, MAX_LENGTH) + "..." : name;
  }

  private static void conflict(String id, List<ConfigMember> group, ProblemCollector problems) {
    String names =
        group.stream()
            .map(
                server ->
                    MessageTexts.quote(server.name())
                        + (server.line() > 0 ? " (line " + server.line() + ")" : ""))
            .collect(Collectors.joining(", "));
    problems.fatal(
        group.get(group.size() - 1).line(),
        "these names mean the same server \"" + id + "\": " + names,
        "Rename all but one; upper case, blanks, hyphens, underscores and look-alike letters"
            + " make no difference");
  }
}
