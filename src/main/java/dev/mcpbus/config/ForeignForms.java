package dev.mcpbus.config;

import dev.mcpbus.config.ConfigNode.ConfigMember;
import dev.mcpbus.config.ConfigNode.ValueType;
import dev.mcpbus.config.Substitution.Filled;
import dev.mcpbus.transport.HttpOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Rewrites what other programs call differently into mcpbus's own keys, before an entry is read and
 * checked: {@code serverUrl} (Windsurf), {@code httpUrl} (Gemini), {@code requestInit.headers},
 * {@code command} as a list (OpenCode), as an object (Zed), or with its arguments behind it. Each
 * is a note that names our key. What means two things stays as it is, and the reader reports it.
 * Owned by one read.
 */
final class ForeignForms {

  /**
   * A program's name and its arguments, without a path, a quote or anything for a shell. The
   * repeated group is possessive, because Java's stack grows with each repetition otherwise.
   */
  private static final Pattern COMMAND_LINE =
      Pattern.compile("[\\w.+-]+(\\s+[^\\s\"'`\\\\|&;<>(){}*?$#]+)++");

  private static final Pattern DOLLAR = Pattern.compile("\\$([A-Za-z_][A-Za-z0-9_]*+)");

  private final String server;
  private final ProblemCollector problems;
  private final Map<String, ConfigMember> members = new LinkedHashMap<>();

  private ForeignForms(ConfigNode entry, String server, ProblemCollector problems) {
    this.server = server;
    this.problems = problems;
    entry.members().forEach(member -> members.put(member.name(), member));
  }

  /** The root with each server's entry in our own keys, so that reader and schema see the same. */
  static ConfigNode translated(ConfigNode root, ProblemCollector problems) {
    List<ConfigMember> members = new ArrayList<>();
    for (ConfigMember member : root.members()) {
      boolean servers =
          ConfigKeys.ROOTS.contains(member.name()) && member.value().is(ValueType.OBJECT);
      members.add(
          servers
              ? new ConfigMember(member.name(), member.line(), servers(member.value(), problems))
              : member);
    }
    return ConfigNode.object(root.line(), members);
  }

  /** Whether a file is that of Gemini, or of a program that is made of it. */
  static boolean isGemini(Path file) {
    Path parent = file.toAbsolutePath().normalize().getParent();
    return parent != null && (parent.endsWith(".gemini") || parent.endsWith(".qwen"));
  }

  /**
   * The root of a file of Gemini, in which {@code $NAME} means {@code ${NAME}} in the entries of
   * servers: where the variable has a value, or is the whole text. Other texts with a dollar stay.
   *
   * @param isSet whether a variable of the process has a value
   */
  static ConfigNode braced(ConfigNode root, Predicate<String> isSet) {
    return ConfigNode.object(
        root.line(),
        root.members().stream()
            .map(
                one ->
                    ConfigKeys.ROOTS.contains(one.name())
                        ? new ConfigMember(
                            one.name(),
                            one.line(),
                            mapped(
                                one.value(),
                                server -> {
                                  ConfigNode env = server.get("env");
                                  return bracedTexts(
                                      server,
                                      name ->
                                          isSet.test(name) || (env != null && env.get(name) != null));
                                }))
                        : one)
            .toList());
  }

  private static ConfigNode bracedTexts(ConfigNode node, Predicate<String> isSet) {
    if (node.is(ValueType.STRING)) {
      String braced =
          DOLLAR
              .matcher(node.text())
              .replaceAll(
                  found ->
                      Matcher.quoteReplacement(
                          isSet.test(found.group(1)) || found.group().equals(node.text())
                              ? "${" + found.group(1) + "}"
                              : found.group()));
      return text(node.line(), braced);
    }
    return mapped(node, inner -> bracedTexts(inner, isSet));
  }

  /** The object or list with other values; anything else itself. */
  private static ConfigNode mapped(ConfigNode node, UnaryOperator<ConfigNode> by) {
    if (node.is(ValueType.OBJECT)) {
      return ConfigNode.object(
          node.line(),
          node.members().stream()
              .map(one -> new ConfigMember(one.name(), one.line(), by.apply(one.value())))
              .toList());
    }
    return node.is(ValueType.ARRAY)
        ? ConfigNode.array(node.line(), node.items().stream().map(by).toList())
        : node;
  }

  private static ConfigNode servers(ConfigNode servers, ProblemCollector problems) {
    return ConfigNode.object(
        servers.line(),
        servers.members().stream()
            .map(
                server ->
                    new ConfigMember(
                        server.name(),
                        server.line(),
                        translated(server.value(), ServerNames.key(server.name()), problems)))
            .toList());
  }

  /** The entry with our keys alone, and the same lines. */
  static ConfigNode translated(ConfigNode entry, String server, ProblemCollector problems) {
    if (!entry.is(ValueType.OBJECT)) {
      return entry;
    }
    ForeignForms forms = new ForeignForms(entry, server, problems);
    forms.url("serverUrl", null);
    forms.url("httpUrl", HttpOptions.TYPE);
    forms.requestInit();
    forms.command();
    return ConfigNode.object(entry.line(), List.copyOf(forms.members.values()));
  }

  private void url(String key, @Nullable String type) {
    ConfigMember url = members.get(key);
    if (url == null || url.value().is(ValueType.NULL)) {
      return;
    }
    if (members.containsKey("url")) {
      members.remove(key);
      problems.add(
          url.line(), server, "\"url\" and \"" + key + "\" mean the same", "Keep one of them");
      return;
    }
    note(url.line(), "\"" + key + "\" is read as \"url\"", "Write \"url\"");
    replace(key, "url", url.value());
    if (type != null && !members.containsKey("type")) {
      put("type", url.line(), text(url.line(), type));
    }
  }

  private void requestInit() {
    ConfigMember init = members.get("requestInit");
    if (init == null || !init.value().is(ValueType.OBJECT) || members.containsKey("headers")) {
      return;
    }
    ConfigNode headers = init.value().get("headers");
    if (headers != null && init.value().members().size() == 1) {
      note(
          init.line(),
          "\"requestInit.headers\" is read as \"headers\"",
          "Write \"headers\": { ... } in place of \"requestInit\"");
      replace("requestInit", "headers", headers);
    }
  }

  private void command() {
    ConfigMember command = members.get("command");
    if (command == null) {
      return;
    }
    ConfigNode value = command.value();
    if (value.is(ValueType.ARRAY)
        && !value.items().isEmpty()
        && value.items().stream().noneMatch(ForeignForms::isNested)) {
      List<ConfigNode> words = value.items();
      split(command, words.get(0), words.subList(1, words.size()), "is a list");
    } else if (value.is(ValueType.OBJECT)) {
      commandObject(command);
    } else if (value.is(ValueType.STRING) && COMMAND_LINE.matcher(value.text().strip()).matches()) {
      List<ConfigNode> words =
          Stream.of(value.text().strip().split("\\s+"))
              .map(word -> text(value.line(), word))
              .toList();
      split(command, words.get(0), words.subList(1, words.size()), "holds arguments");
    }
  }

  private static boolean isNested(ConfigNode node) {
    return node.is(ValueType.OBJECT) || node.is(ValueType.ARRAY) || node.is(ValueType.NULL);
  }

  /** {@code {"path": ..., "args": [...], "env": {...}}}. */
  private void commandObject(ConfigMember command) {
    List<String> keys = command.value().members().stream().map(ConfigMember::name).toList();
    boolean known = keys.contains("path") && List.of("path", "args", "env").containsAll(keys);
    if (!known || keys.stream().anyMatch(members::containsKey)) {
      return;
    }
    note(
        command.line(),
        "\"command\" is an object; its path, args and env are read as \"command\", \"args\" and"
            + " \"env\"",
        "Write these three keys beside each other");
    for (ConfigMember part : command.value().members()) {
      String key = part.name().equals("path") ? "command" : part.name();
      members.put(key, new ConfigMember(key, part.line(), part.value()));
    }
  }

  private void split(
      ConfigMember command, ConfigNode program, List<ConfigNode> first, String what) {
    ConfigMember found = members.get("args");
    ConfigMember args = found == null || found.value().is(ValueType.NULL) ? null : found;
    if (args != null && !args.value().is(ValueType.ARRAY)) {
      return;
    }
    List<ConfigNode> all = new ArrayList<>(first);
    if (args != null) {
      all.addAll(args.value().items());
    }
    put("command", command.line(), program);
    int line = args == null ? command.line() : args.line();
    put("args", line, ConfigNode.array(command.line(), all));
    note(
        command.line(),
        "\"command\" " + what + "; it is read as a program and its arguments",
        "Write \"command\": "
            + MessageTexts.quote(shown(List.of(program)).get(0))
            + ", \"args\": ["
            + String.join(", ", shown(all).stream().map(MessageTexts::quote).toList())
            + "]");
  }

  /** An argument may be a secret. */
  private static List<String> shown(List<ConfigNode> words) {
    return EntryMasking.args(words.stream().map(word -> Filled.plain(word.text())).toList());
  }

  private void note(int line, String message, String remedy) {
    problems.note(line, server, message, remedy);
  }

  private static ConfigNode text(int line, String text) {
    return ConfigNode.scalar(ValueType.STRING, line, text);
  }

  private void put(String key, int line, ConfigNode value) {
    members.put(key, new ConfigMember(key, line, value));
  }

  private void replace(String key, String by, ConfigNode value) {
    ConfigMember old = members.remove(key);
    put(by, old == null ? 0 : old.line(), value);
  }
}
