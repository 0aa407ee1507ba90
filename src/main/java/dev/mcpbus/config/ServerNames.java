package dev.mcpbus.config;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.config.ConfigNode.ConfigMember;
import dev.mcpbus.protocol.ServerId;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Derives connection ids from names of servers. Names that a person or the bus could confuse are
 * refused together. Dots are refused and not replaced, because they separate the parts of an
 * address. Stateless.
 */
final class ServerNames {

  /** Pairs of a character and the ASCII letter that it looks like. */
  private static final String LOOK_ALIKES =
      // Cyrillic
      "\u0430a\u0432b\u0441c\u0501d\u0435e\u04bbh\u0456i\u0458j\u043ak\u04cfl\u043cm\u043eo\u0440p"
          + "\u051bq\u0455s\u0442t\u0475v\u0461w\u0445x\u0443y\u0410A\u0412B\u0421C\u0415E\u041dH"
          + "\u0406I\u0408J\u041aK\u04c0l\u041cM\u041eO\u0420P\u0405S\u0422T\u0425X\u0423Y\u0261g"
          // Greek
          + "\u03b1a\u03b5e\u03b9i\u03bak\u03bdv\u03bfo\u03c1p\u03c4t\u03c5u\u03c7x\u03c9w\u03b3y"
          + "\u0391A\u0392B\u0395E\u0396Z\u0397H\u0399I\u039aK\u039cM\u039dN\u039fO\u03a1P\u03a4T"
          + "\u03a5Y\u03a7X"
          // Latin letters without a dot, and some dashes
          + "\u0131i\u0237j\u0269i\u2010-\u2011-\u2012-\u2013-\u2014-\u2212-";

  private static final Map<Integer, Integer> ASCII_OF = table();

  private ServerNames() {}

  private static Map<Integer, Integer> table() {
    Map<Integer, Integer> map = new HashMap<>();
    for (int i = 0; i < LOOK_ALIKES.length(); i += 2) {
      map.put((int) LOOK_ALIKES.charAt(i), (int) LOOK_ALIKES.charAt(i + 1));
    }
    return Map.copyOf(map);
  }

  /**
   * The ids of all valid names. Each group of names that would share an id is one fatal problem; a
   * name that cannot become an id is a problem of its server.
   */
  static Map<String, ConnectionId> ids(List<ConfigMember> servers, ProblemCollector problems) {
    Map<String, List<ConfigMember>> groups = new LinkedHashMap<>();
    for (ConfigMember server : servers) {
      groups.computeIfAbsent(skeleton(server.name()), key -> new ArrayList<>()).add(server);
    }
    Map<String, ConnectionId> ids = new LinkedHashMap<>();
    groups.forEach(
        (skeleton, group) -> {
          if (group.size() > 1 && !skeleton.isEmpty()) {
            conflict(skeleton, group, problems);
          }
          for (ConfigMember server : group) {
            String id = ServerId.of(server.name());
            String wrong = problem(server.name(), id);
            if (wrong.isEmpty()) {
              ids.put(server.name(), new ConnectionId(id));
            } else if (!off(server.value())) {
              problems.add(server.line(), cut(server.name()), wrong, "Choose another name");
            }
          }
        });
    return ids;
  }

  /** Whether the entry is disabled: an invalid name of it is not reported, a conflict is. */
  private static boolean off(ConfigNode server) {
    ConfigNode disabled = server.get("disabled");
    ConfigNode enabled = server.get("enabled");
    return (disabled != null && disabled.text().equals("true"))
        || (enabled != null && enabled.text().equals("false"));
  }

  /** Equal for all names that a person could confuse. */
  static String skeleton(String name) {
    StringBuilder out = new StringBuilder();
    ServerId.compatible(name)
        .codePoints()
        .filter(c -> Character.getType(c) != Character.FORMAT)
        .map(c -> ASCII_OF.getOrDefault(c, c))
        .forEach(out::appendCodePoint);
    return ServerId.of(out.toString());
  }

  /** The problem of a name, empty if there is none. */
  static String problem(String name, String id) {
    if (name.isBlank()) {
      return "a server needs a name";
    }
    if (name.indexOf('.') >= 0) {
      return "the name has a dot, which separates the parts of a bus address";
    }
    String strange =
        name
            .codePoints()
            .filter(
                c ->
                    c > 0x7E
                        && !isAscii(
                            Normalizer.normalize(Character.toString(c), Normalizer.Form.NFKC)))
            .mapToObj(ServerNames::named)
            .collect(Collectors.toCollection(TreeSet::new))
            .stream()
            .limit(3)
            .collect(Collectors.joining(", "));
    if (!strange.isEmpty()) {
      return "the name has characters that cannot stand in a bus address: " + strange;
    }
    String wrong = ConnectionId.problem(id);
    return wrong == null ? "" : wrong.replaceFirst("; choose another name$", "");
  }

  private static boolean isAscii(String text) {
    return text.chars().allMatch(c -> c <= 0x7E);
  }

  static String named(int c) {
    String looks =
        ASCII_OF.containsKey(c)
            ? " that looks like '" + Character.toString(ASCII_OF.get(c)) + "'"
            : "";
    String name = Character.getName(c);
    return String.format(Locale.ROOT, "U+%04X", c) + (name == null ? "" : " " + name) + looks;
  }

  /** A name for messages, shortened to 80 characters. */
  static String cut(String name) {
    return name.length() > 80 ? name.substring(0, 80) + "..." : name;
  }

  private static void conflict(
      String skeleton, List<ConfigMember> group, ProblemCollector problems) {
    String names =
        group.stream()
            .map(
                server ->
                    MessageTexts.quote(server.name())
                        + (server.line() > 0 ? " (line " + server.line() + ")" : ""))
            .collect(Collectors.joining(", "));
    problems.fatal(
        group.get(group.size() - 1).line(),
        "these names mean the same server \"" + MessageTexts.ascii(cut(skeleton)) + "\": " + names,
        "Rename all but one; upper case, blanks, underscores and look-alike letters make no"
            + " difference");
  }
}
