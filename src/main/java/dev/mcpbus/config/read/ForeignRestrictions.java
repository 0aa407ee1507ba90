package dev.mcpbus.config.read;

import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.config.read.ConfigNode.ValueType;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a file of another program restricts outside of its servers' entries. Tools that it denies by
 * their names there, such as {@code gh_delete*} of opencode, are {@code disabledTools} of their
 * server. Any other restriction is a problem of the file, so that no server runs without it. What
 * restricts the program alone is a note. Owned by one read.
 */
final class ForeignRestrictions {

  /** A key of such a name may restrict the server. */
  static final Pattern RESTRICTS =
      Pattern.compile(
          "(?i)tool|allow|den[iy]|permi|polic|restrict|sandbox|approv|block|filter|clude");

  /** The same in files whose other keys are those of an editor, or of a shell's sandbox. */
  private static final Pattern TELLS_OF_TOOLS =
      Pattern.compile("(?i)tool|permi|sandbox|approv|mcp\\.access");

  /** Switches and permissions by tool: {@code {"gh_*": false}}, {@code {"gh_*": "deny"}}. */
  private static final Set<String> BY_TOOL = Set.of("tools", "permission", "permissions");

  /** Lists of tools, by the keys of Amp and of Crush. */
  private static final Set<String> LISTS = Set.of("amp.tools.disable", "options.disabled_tools");

  /** What a person need not confirm. */
  private static final Set<String> CONSENT =
      Set.of("amp.commands.allowlist", "amp.guardedFiles.allowlist", "amp.dangerouslyAllowAll");

  /** Of permissions: what does not deny. mcpbus requests no confirmation. */
  private static final Set<String> GRANTS = Set.of("", "allow", "ask");

  private static final Set<String> DENIES = Set.of("false", "deny", "reject");
  private static final String REMEDY =
      "name tools that must not be called in \"disabledTools\" of each server";

  /**
   * Tools that a key denies.
   *
   * @param glob of names that have their server in front
   * @param whole false where it denies some calls only
   * @param bare whether it may also be the name of a tool of any server
   */
  private record Denial(String key, int line, String glob, boolean whole, boolean bare) {}

  private final String program;
  private final ProblemCollector problems;
  private final List<Denial> denials = new ArrayList<>();

  /**
   * @param own how the keys of the program itself begin in its file; null if most are of something
   *     else
   * @param above the key with the servers in it
   */
  ForeignRestrictions(
      ConfigNode root,
      String program,
      @Nullable String own,
      String above,
      ProblemCollector problems) {
    this.program = program;
    this.problems = problems;
    List<ConfigMember> all = new ArrayList<>(root.members());
    inner(root, "options", "disabled_tools", all); // Crush
    inner(root, "agent", "tool_permissions", all); // Zed
    for (ConfigMember member : all) {
      String key = member.name();
      if (!key.equals(above) && !CONSENT.contains(key)) {
        read(member, own);
      }
    }
  }

  private static void inner(ConfigNode root, String outer, String key, List<ConfigMember> all) {
    ConfigNode holder = root.get(outer);
    if (holder != null) {
      holder
          .member(key)
          .ifPresent(one -> all.add(new ConfigMember(outer + "." + key, one.line(), one.value())));
    }
  }

  private void read(ConfigMember member, @Nullable String own) {
    String key = member.name();
    ConfigNode value = member.value();
    if (BY_TOOL.contains(key) && value.is(ValueType.OBJECT)) {
      value.members().stream()
          .filter(tool -> denies(tool.value()))
          .forEach(tool -> deny(member, tool.name(), tool.value().members().isEmpty()));
    } else if (BY_TOOL.contains(key) && DENIES.contains(value.text())) {
      deny(member, "*", true);
    } else if (LISTS.contains(key)) {
      ListedServers.words(value).forEach(tool -> deny(member, tool, true));
    } else if (key.equals("agent.tool_permissions")
        ? denies(value)
        : own != null
            && key.startsWith(own)
            && RESTRICTS.matcher(key).find()
            && mayRestrict(value)) {
      problems.fatal(
          member.line(),
          "unknown key "
              + MessageTexts.quote(key)
              + " of "
              + program
              + ", which may restrict the servers: none of them is used",
          "Remove it, and " + REMEDY);
    } else if (TELLS_OF_TOOLS.matcher(key).find()) {
      problems.note(
          member.line(),
          null,
          "the key " + MessageTexts.quote(key) + " of " + program + " is ignored",
          "If it is about tools of these servers, " + REMEDY);
    }
  }

  private void deny(ConfigMember by, String tool, boolean whole) {
    boolean bare = by.name().startsWith("amp.") && !tool.startsWith("builtin:");
    denials.add(new Denial(by.name(), by.line(), tool, whole, bare));
  }

  private static boolean denies(ConfigNode value) {
    return DENIES.contains(value.text())
        || value.items().stream().anyMatch(ForeignRestrictions::denies)
        || value.members().stream().anyMatch(member -> denies(member.value()));
  }

  private static boolean mayRestrict(ConfigNode value) {
    ConfigNode action = value.get("action");
    return switch (value.type()) {
      case NULL, NUMBER -> false;
      case BOOLEAN, STRING -> !GRANTS.contains(value.text());
      case ARRAY -> value.items().stream().anyMatch(ForeignRestrictions::mayRestrict);
      case OBJECT ->
          action != null
              ? mayRestrict(action)
              : value.members().stream().anyMatch(member -> mayRestrict(member.value()));
    };
  }

  /** The entry with what is denied of its tools; empty where mcpbus cannot deny it. */
  Optional<ConfigNode> applied(ConfigNode entry, String server) {
    int before = problems.count();
    Set<String> denied = new LinkedHashSet<>();
    int line = 0;
    for (Denial denial : denials) {
      Set<String> tools = tools(denial, server);
      if (!tools.isEmpty()) {
        line = denial.line();
      }
      denied.addAll(tools);
    }
    if (problems.count() > before) {
      return Optional.empty();
    }
    if (denied.isEmpty() || !entry.is(ValueType.OBJECT)) {
      return Optional.of(entry);
    }
    List<ConfigNode> all = new ArrayList<>();
    ConfigNode own = entry.get("disabledTools");
    if (own != null) {
      ListedServers.words(own).forEach(tool -> all.add(ConfigNode.text(own.line(), tool)));
    }
    for (String tool : denied) {
      all.add(ConfigNode.text(line, tool));
    }
    problems.note(
        line,
        MessageTexts.cut(server),
        "tools that " + program + " denies outside of the entry are read as \"disabledTools\"",
        "Nothing is to be done if these tools must not be called");
    return Optional.of(entry.with("disabledTools", ConfigNode.array(line, all)));
  }

  /** The globs of the server's own names of the tools. */
  private Set<String> tools(Denial denial, String server) {
    String glob = denial.glob();
    int any = 0;
    while (any < glob.length() && glob.charAt(any) != '*' && glob.charAt(any) != '?') {
      any++;
    }
    Set<String> tools = new LinkedHashSet<>();
    boolean unclear = false;
    for (String prefix : prefixes(server)) {
      if (glob.startsWith(prefix)) {
        tools.add(glob.substring(prefix.length()));
      } else if (any < glob.length() && prefix.startsWith(glob.substring(0, any))) {
        unclear |= any < glob.length() - 1 || glob.charAt(any) != '*';
        tools.add("*");
      }
    }
    if (!tools.isEmpty() && (unclear || !denial.whole())) {
      problems.add(
          denial.line(),
          MessageTexts.cut(server),
          MessageTexts.quote(denial.key())
              + " of "
              + program
              + " restricts it by "
              + MessageTexts.quote(MessageTexts.cut(glob))
              + ", which mcpbus cannot do as it does",
          "Remove it there, and " + REMEDY);
    }
    if (denial.bare()) {
      tools.add(glob);
    }
    tools.remove("");
    return tools;
  }

  /** What stands in front of the names of its tools, in opencode, Crush and Amp. */
  private static Set<String> prefixes(String server) {
    Set<String> prefixes = new LinkedHashSet<>();
    String plain = server.replaceAll("[^A-Za-z0-9_-]", "_");
    for (String name : List.of(server, plain, plain.replace('-', '_'))) {
      prefixes.addAll(List.of(name + "_", "mcp_" + name + "_", "mcp__" + name + "__"));
    }
    return prefixes;
  }
}
