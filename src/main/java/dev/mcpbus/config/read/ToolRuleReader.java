package dev.mcpbus.config.read;

import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.config.read.ConfigNode.ValueType;
import dev.mcpbus.connection.options.ToolPolicy;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads the rules for single tools, in the formats of other MCP clients. Restrictions are applied.
 * Settings that only skip a confirmation by a person are no restrictions; they are reported as
 * notes.
 */
final class ToolRuleReader {

  private static final String NAMES = "Write a list of tools' names";

  private final ConfigEntry entry;
  private final List<List<String>> allow = new ArrayList<>();
  private final List<String> deny = new ArrayList<>();

  private ToolRuleReader(ConfigEntry entry) {
    this.entry = entry;
  }

  /** The policy; {@link ToolPolicy#ALL} if the entry restricts nothing. */
  static ToolPolicy read(ConfigEntry entry) {
    ToolRuleReader rules = new ToolRuleReader(entry);
    for (ConfigMember member : entry.node().members()) {
      if (!member.value().is(ValueType.NULL)) {
        rules.read(member);
      }
    }
    return rules.allow.isEmpty() && rules.deny.isEmpty()
        ? ToolPolicy.ALL
        : new ToolPolicy(rules.allow, rules.deny);
  }

  private void read(ConfigMember member) {
    String key = member.name();
    ConfigSchema.DeclaredKey declared = ConfigSchema.SERVER.keys().get(key);
    String rules = declared == null ? "" : declared.rules();
    boolean isObject = member.value().is(ValueType.OBJECT);
    if (rules.equals("allow") || (key.equals("tools") && !isObject)) {
      allow(entry, member);
    } else if (rules.equals("deny")) {
      deny.addAll(names(entry, member));
    } else if (rules.equals("form")) {
      entry.anyObject(key).ifPresent(inner -> form(inner, names(member)));
    } else if (rules.equals("consent") && isSet(member.value())) {
      entry.note(
          member.line(),
          "\""
              + key
              + "\" is about confirmation by a person, which mcpbus does not request: every tool"
              + " that is listed can be called",
          "Name tools that must not be called in \"disabledTools\"");
    }
  }

  private void allow(ConfigEntry of, ConfigMember member) {
    int before = of.problems().count();
    List<String> names = names(of, member);
    if (names.isEmpty() && of.problems().count() == before) {
      of.note(
          member.line(),
          "\"" + of.path() + member.name() + "\" names nothing, so no tool can be called",
          "Name the tools, or remove it");
    }
    allow.add(names);
  }

  /** Names from a list or one string. Gemini's {@code name(arguments)} counts as the name. */
  private static List<String> names(ConfigEntry of, ConfigMember member) {
    List<String> words =
        member.value().is(ValueType.STRING)
            ? of.word(member.name()).stream().toList()
            : of.words(member.name());
    return words.stream().map(word -> word.replaceFirst("\\(.*", "").strip()).toList();
  }

  /** {@code {mode, list}}, {@code {include, exclude}}, or a switch for each tool. */
  private void form(ConfigEntry of, Set<String> members) {
    if (members.contains("mode") && members.contains("list")) {
      mode(of);
    } else if (members.contains("include") || members.contains("exclude")) {
      for (ConfigMember member : of.node().members()) {
        switch (member.name()) {
          case "include" -> allow(of, member);
          case "exclude" -> deny.addAll(names(of, member));
          default -> ignored(of, member);
        }
      }
    } else {
      of.node().members().forEach(tool -> tool(of, tool));
    }
  }

  private void mode(ConfigEntry of) {
    List<String> names = of.node().member("list").map(list -> names(of, list)).orElse(List.of());
    String mode = of.word("mode").orElse("");
    switch (mode) {
      case "allow", "include", "whitelist" -> allow.add(names);
      case "block", "deny", "exclude", "blacklist" -> deny.addAll(names);
      default ->
          of.wrong(
              of.line("mode"),
              MessageTexts.quote(of.path() + "mode") + " is neither \"allow\" nor \"block\"",
              "Write one of them");
    }
  }

  /** {@code "name": false} or {@code "name": {"enabled": false}}. */
  private void tool(ConfigEntry of, ConfigMember tool) {
    if (tool.value().is(ValueType.BOOLEAN)) {
      of.flag(tool.name()).filter(on -> !on).ifPresent(off -> deny.add(tool.name()));
      return;
    }
    if (!tool.value().is(ValueType.OBJECT)) {
      of.wrong(
          tool.line(),
          MessageTexts.quote(of.path() + tool.name()) + " is not true or false",
          NAMES);
      return;
    }
    ConfigEntry inner =
        of.anyObject(tool.name())
            .orElseThrow(() -> new IllegalStateException("an object that is none"));
    if (!inner.flag("enabled").orElse(true) || inner.flag("disabled").orElse(false)) {
      deny.add(tool.name());
    }
    for (ConfigMember member : tool.value().members()) {
      if (!Set.of("enabled", "disabled", "description").contains(member.name())) {
        ignored(inner, member);
      }
    }
  }

  private static void ignored(ConfigEntry of, ConfigMember member) {
    of.note(
        member.line(),
        MessageTexts.quote(of.path() + member.name()) + " is ignored",
        "Name tools that must not be called in \"disabledTools\"; rights of callers are set in"
            + " \"auth\": {\"policies\": ...}");
  }

  private static boolean isSet(ConfigNode value) {
    return switch (value.type()) {
      case BOOLEAN -> value.text().equals("true");
      case ARRAY -> !value.items().isEmpty();
      case OBJECT -> !value.members().isEmpty();
      default -> true;
    };
  }

  private static Set<String> names(ConfigMember object) {
    Set<String> names = new LinkedHashSet<>();
    object.value().members().forEach(member -> names.add(member.name()));
    return names;
  }
}
