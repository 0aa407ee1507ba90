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
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Rewrites what other programs call differently into mcpbus's own keys, before an entry is read and
 * checked: {@code serverUrl} (Windsurf), {@code httpUrl} (Gemini), {@code transport} (LangChain,
 * FastMCP), {@code environment} (opencode), variables by their names (Codex, Goose), {@code
 * requestInit.headers}, {@code command} as a list (opencode), as an object (Zed), or with its
 * arguments behind it. Each is a note that names our key. What means two things stays as it is, and
 * the reader reports it. Owned by one read.
 */
final class ForeignForms {

  /**
   * A program's name and its arguments, without a path, a quote or anything for a shell. The
   * repeated group is possessive, because Java's stack grows with each repetition otherwise.
   */
  private static final Pattern COMMAND_LINE =
      Pattern.compile("[\\w.+-]+(\\s+[^\\s\"'`\\\\|&;<>(){}*?$#]+)++");

  /** Other programs' keys by ours. */
  private static final Map<String, List<String>> NAMES =
      Map.of(
          "url", List.of("serverUrl", "server_url", "uri", "endpoint", "baseUrl"),
          "type", List.of("transport", "transportType", "transport_type"),
          "command", List.of("cmd"),
          "args", List.of("arguments"),
          "env", List.of("environment", "envs"),
          "envFile", List.of("env_file"),
          "cwd", List.of("workingDirectory", "working_directory"),
          "headers", List.of("http_headers"),
          "enabled", List.of("isActive", "active"));

  /** Other programs' durations by ours, with the unit of a plain number. */
  private static final Map<String, List<String>> DURATIONS =
      Map.of(
          "startup_timeout_sec", List.of("handshakeTimeout", "s"),
          "startup_timeout_ms", List.of("handshakeTimeout", "ms"),
          "initTimeout", List.of("handshakeTimeout", "ms"),
          "connectionTimeout", List.of("handshakeTimeout", "ms"),
          "tool_timeout_sec", List.of("timeout", "s"),
          "tool_timeout_ms", List.of("timeout", "ms"));

  private static final Pattern DOLLAR = Pattern.compile("\\$([A-Za-z_][A-Za-z0-9_]*+)");

  private final String server;
  private final boolean quiet;
  private final ProblemCollector problems;
  private final Map<String, ConfigMember> members = new LinkedHashMap<>();

  private ForeignForms(ConfigNode entry, String server, boolean quiet, ProblemCollector problems) {
    this.server = server;
    this.quiet = quiet;
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

  /**
   * The root of a file as it is; of a file of Gemini, in which {@code $NAME} means {@code ${NAME}},
   * with these in the entries of servers: where the variable has a value, or is the whole text.
   * Other texts with a dollar stay.
   */
  static ConfigNode braced(ConfigNode root, Path file, ConfigEnvironment environment) {
    Path folder = file.toAbsolutePath().normalize().getParent();
    if (folder == null || !(folder.endsWith(".gemini") || folder.endsWith(".qwen"))) {
      return root;
    }
    return ConfigNode.object(
        root.line(),
        root.members().stream()
            .map(
                one ->
                    ConfigKeys.ROOTS.contains(one.name())
                        ? new ConfigMember(
                            one.name(),
                            one.line(),
                            mapped(one.value(), server -> braced(server, environment)))
                        : one)
            .toList());
  }

  private static ConfigNode braced(ConfigNode server, ConfigEnvironment environment) {
    ConfigNode env = server.get("env");
    return bracedTexts(
        server,
        name -> environment.variable(name).isPresent() || (env != null && env.get(name) != null));
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
    return translated(entry, server, false, problems);
  }

  /**
   * @param quiet true in a file of another program, where its words are the right ones
   */
  static ConfigNode translated(
      ConfigNode entry, String server, boolean quiet, ProblemCollector problems) {
    if (!entry.is(ValueType.OBJECT)) {
      return entry;
    }
    ForeignForms forms = new ForeignForms(entry, server, quiet, problems);
    forms.transport();
    NAMES.forEach((ours, others) -> others.forEach(other -> forms.rename(other, ours)));
    ConfigMember http = forms.members.get("httpUrl");
    if (http != null && forms.rename("httpUrl", "url") && !forms.members.containsKey("type")) {
      forms.put("type", http.line(), text(http.line(), HttpOptions.TYPE));
    }
    forms.requestHeaders("requestInit");
    forms.requestHeaders("requestOptions");
    DURATIONS.forEach((other, ours) -> forms.duration(other, ours.get(0), ours.get(1)));
    forms.namedVariables();
    forms.command();
    return ConfigNode.object(entry.line(), List.copyOf(forms.members.values()));
  }

  /** Whether {@code key} was there and is {@code ours} now. */
  private boolean rename(String key, String ours) {
    ConfigMember found = members.get(key);
    if (found == null || found.value().is(ValueType.NULL)) {
      return false;
    }
    ConfigMember own = members.get(ours);
    if (own != null && !own.value().is(ValueType.NULL)) {
      members.remove(key);
      if (!sameType(own.value(), found.value(), ours)) {
        problems.add(
            found.line(),
            server,
            "\"" + ours + "\" and \"" + key + "\" mean the same",
            "Keep one of them");
      }
      return false;
    }
    note(found.line(), "\"" + key + "\" is read as \"" + ours + "\"", "Write \"" + ours + "\"");
    replace(key, ours, found.value());
    return true;
  }

  private static boolean sameType(ConfigNode a, ConfigNode b, String key) {
    return key.equals("type")
        && ServerTypeResolver.plain(a.text()).equals(ServerTypeResolver.plain(b.text()));
  }

  /** {@code "transport": {"type": ..., "command": ...}}, as Continue once wrote it. */
  private void transport() {
    ConfigMember transport = members.get("transport");
    if (transport == null || !transport.value().is(ValueType.OBJECT)) {
      return;
    }
    if (transport.value().members().stream().anyMatch(part -> members.containsKey(part.name()))) {
      return;
    }
    members.remove("transport");
    transport.value().members().forEach(part -> members.put(part.name(), part));
    note(
        transport.line(),
        "\"transport\" is an object; its members are read as those of the entry",
        "Write them beside the other keys");
  }

  private void requestHeaders(String key) {
    ConfigMember init = members.get(key);
    if (init == null || !init.value().is(ValueType.OBJECT) || members.containsKey("headers")) {
      return;
    }
    ConfigNode headers = init.value().get("headers");
    if (headers != null && init.value().members().size() == 1) {
      note(
          init.line(),
          "\"" + key + ".headers\" is read as \"headers\"",
          "Write \"headers\": { ... } in place of \"" + key + "\"");
      replace(key, "headers", headers);
    }
  }

  private void duration(String key, String ours, String unit) {
    ConfigMember found = members.get(key);
    if (found == null || !found.value().is(ValueType.NUMBER) || members.containsKey(ours)) {
      return;
    }
    ConfigNode value =
        unit.equals("s")
            ? SecondsForm.seconds(found.value())
            : text(found.line(), found.value().number().longValue() + "ms");
    note(
        found.line(),
        "\"" + key + "\" is read as \"" + ours + "\"",
        "Write \"" + ours + "\": " + MessageTexts.quote(value.text()));
    replace(key, ours, value);
  }

  /** What Codex and Goose name by variables of the environment. */
  private void namedVariables() {
    take("bearer_token_env_var", ValueType.STRING, "headers")
        .ifPresent(
            name ->
                into(
                    "headers", "Authorization", "Bearer ${env:" + name.value().text() + "}", name));
    take("env_http_headers", ValueType.OBJECT, "headers")
        .ifPresent(
            all ->
                all.value()
                    .members()
                    .forEach(
                        one ->
                            into("headers", one.name(), "${env:" + one.value().text() + "}", one)));
    // Codex passes a variable that is not set on as one that is not set; an empty one is nearest.
    take("env_vars", ValueType.ARRAY, "env").ifPresent(all -> variables(all, ":-}"));
    take("env_keys", ValueType.ARRAY, "env").ifPresent(all -> variables(all, "}"));
  }

  private void variables(ConfigMember all, String end) {
    for (ConfigNode each : all.value().items()) {
      ConfigNode name = each.is(ValueType.OBJECT) ? each.get("name") : each;
      if (name != null && name.is(ValueType.STRING)) {
        into("env", name.text(), "${env:" + name.text() + end, all);
      }
    }
  }

  private Optional<ConfigMember> take(String key, ValueType type, String ours) {
    ConfigMember found = members.get(key);
    if (found == null || !found.value().is(type)) {
      return Optional.empty();
    }
    members.remove(key);
    note(
        found.line(),
        "\"" + key + "\" is read as variables in \"" + ours + "\"",
        "Write them there, as ${NAME}");
    return Optional.of(found);
  }

  /** Adds a value to {@code env} or {@code headers}, where the entry does not have it. */
  private void into(String key, String name, String value, ConfigMember from) {
    ConfigMember own = members.get(key);
    List<ConfigMember> all = new ArrayList<>();
    if (own != null) {
      if (!own.value().is(ValueType.OBJECT) && !own.value().is(ValueType.NULL)) {
        return;
      }
      all.addAll(own.value().members());
    }
    if (all.stream().noneMatch(member -> member.name().equals(name))) {
      all.add(new ConfigMember(name, from.line(), text(from.line(), value)));
    }
    int line = own == null ? from.line() : own.line();
    put(key, line, ConfigNode.object(line, all));
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
    if (!quiet) {
      problems.note(line, server, message, remedy);
    }
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
