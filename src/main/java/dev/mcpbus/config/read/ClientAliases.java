package dev.mcpbus.config.read;

import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.config.read.ConfigNode.ValueType;
import dev.mcpbus.config.read.Substitution.Filled;
import dev.mcpbus.transport.HttpOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
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
public final class ClientAliases {

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
          "enabled", List.of("isActive", "active"),
          "rpcLog", List.of("logJsonRpc"));

  /** Other programs' durations by ours, with the unit of a plain number. */
  private static final Map<String, List<String>> DURATIONS =
      Map.of(
          "startup_timeout_sec", List.of("handshakeTimeout", "s"),
          "startup_timeout_ms", List.of("handshakeTimeout", "ms"),
          "initTimeout", List.of("handshakeTimeout", "ms"),
          "connectionTimeout", List.of("handshakeTimeout", "ms"),
          "connect_timeout", List.of("handshakeTimeout", "s"),
          "tool_timeout_sec", List.of("timeout", "s"),
          "read_timeout_seconds", List.of("timeout", "s"),
          "tool_timeout_ms", List.of("timeout", "ms"));

  /** The members of {@code reconnectionOptions} by ours. */
  private static final Map<String, String> RECONNECTION =
      Map.of(
          "initialReconnectionDelay", "initial",
          "maxReconnectionDelay", "max",
          "reconnectionDelayGrowFactor", "factor",
          "maxRetries", "restarts");

  /** Keys of which an empty text says nothing; forms of user interfaces write all of them. */
  private static final List<String> BLANK =
      Stream.of("url", "type", "command", "envFile", "cwd", "timeout")
          .flatMap(
              key -> Stream.concat(Stream.of(key), NAMES.getOrDefault(key, List.of()).stream()))
          .toList();

  /** A key for people: {@code "//"}, {@code "_comment"}. */
  static final Pattern COMMENT = Pattern.compile("(?s)(?://|[_#$]).*+");

  private final String server;
  private final boolean quiet;
  private final ProblemCollector problems;
  private final Map<String, ConfigMember> members = new LinkedHashMap<>();

  private ClientAliases(ConfigNode entry, String server, boolean quiet, ProblemCollector problems) {
    this.server = server;
    this.quiet = quiet;
    this.problems = problems;
    List<ConfigMember> all =
        entry.members().stream().filter(one -> !COMMENT.matcher(one.name()).matches()).toList();
    List<ConfigMember> filled = all.stream().filter(one -> !saysNothing(one)).toList();
    boolean isSure = filled.stream().anyMatch(one -> ForeignRoots.WAYS.contains(one.name()));
    (isSure ? filled : all).forEach(member -> members.put(member.name(), member));
  }

  private static boolean saysNothing(ConfigMember member) {
    return BLANK.contains(member.name())
        && member.value().is(ValueType.STRING)
        && member.value().text().isBlank();
  }

  /** The root with each server's entry in our own keys, so that reader and schema see the same. */
  public static ConfigNode translated(ConfigNode root, ProblemCollector problems) {
    return root.withServers(
        server ->
            server.with(translated(server.value(), ServerNames.key(server.name()), problems)));
  }

  /** The entry with our keys alone, and the same lines. */
  public static ConfigNode translated(ConfigNode entry, String server, ProblemCollector problems) {
    return translated(entry, server, false, problems);
  }

  /**
   * @param quiet true in a file of another program, where its words are the right ones
   */
  public static ConfigNode translated(
      ConfigNode entry, String server, boolean quiet, ProblemCollector problems) {
    if (!entry.is(ValueType.OBJECT)) {
      return entry;
    }
    ClientAliases forms = new ClientAliases(entry, server, quiet, problems);
    forms.transport();
    NAMES.forEach((ours, others) -> others.forEach(other -> forms.rename(other, ours)));
    if (ServerNames.off(ConfigNode.object(0, List.copyOf(forms.members.values())))) {
      forms.members.values().removeIf(ClientAliases::saysNothing);
    }
    ConfigMember http = forms.members.get("httpUrl");
    if (http != null && forms.rename("httpUrl", "url") && !forms.members.containsKey("type")) {
      forms.put("type", http.line(), ConfigNode.text(http.line(), HttpOptions.TYPE));
    }
    forms.requestHeaders("requestInit", "headers");
    forms.requestHeaders("requestOptions", "headers");
    forms.requestHeaders("eventSourceInit", "streamHeaders");
    forms.reconnection();
    forms.pairs("env", "=");
    forms.pairs("headers", ":");
    DURATIONS.forEach((other, ours) -> forms.duration(other, ours.get(0), ours.get(1)));
    forms.namedVariables();
    forms.oauth();
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
    replace(key, ours, found.value(), key, "Write \"" + ours + "\"");
    return true;
  }

  private static boolean sameType(ConfigNode a, ConfigNode b, String key) {
    return key.equals("type")
        && ServerTypeResolver.plain(a.text()).equals(ServerTypeResolver.plain(b.text()));
  }

  /** {@code "transport": {"type": ..., "command": ...}}, as Continue once wrote it. */
  private void transport() {
    ConfigMember transport = members.get("transport");
    if (transport == null
        || !transport.value().is(ValueType.OBJECT)
        || transport.value().members().stream()
            .anyMatch(part -> members.containsKey(part.name()))) {
      return;
    }
    members.remove("transport");
    transport.value().members().forEach(part -> members.put(part.name(), part));
    note(
        transport.line(),
        "\"transport\" is an object; its members are read as those of the entry",
        "Write them beside the other keys");
  }

  private void requestHeaders(String key, String ours) {
    ConfigMember init = members.get(key);
    if (init == null || init.value().members().size() != 1 || members.containsKey(ours)) {
      return;
    }
    ConfigNode headers = init.value().get("headers");
    if (headers != null) {
      replace(
          key,
          ours,
          headers,
          key + ".headers",
          "Write \"" + ours + "\": { ... } in place of \"" + key + "\"");
    }
  }

  /** How the SDK opens a stream again, as how the supervisor does. */
  private void reconnection() {
    ConfigMember found = members.get("reconnectionOptions");
    if (found == null
        || !found.value().is(ValueType.OBJECT)
        || members.containsKey("restart")
        || !found.value().members().stream()
            .allMatch(part -> RECONNECTION.containsKey(part.name()))) {
      return; // the reader says what is not known
    }
    int line = found.line();
    List<ConfigMember> backoff = new ArrayList<>();
    List<ConfigMember> parts = new ArrayList<>();
    for (ConfigMember part : found.value().members()) {
      ConfigMember ours =
          new ConfigMember(RECONNECTION.getOrDefault(part.name(), ""), part.line(), part.value());
      if (ours.name().equals("restarts")) {
        parts.add(new ConfigMember("intensity", line, ConfigNode.object(line, List.of(ours))));
      } else {
        backoff.add(ours);
      }
    }
    if (!backoff.isEmpty()) {
      parts.add(new ConfigMember("backoff", line, ConfigNode.object(line, backoff)));
    }
    replace(
        "reconnectionOptions",
        "restart",
        ConfigNode.object(line, parts),
        "reconnectionOptions",
        "Write \"restart\": {\"backoff\": {\"initial\", \"max\", \"factor\"}, \"intensity\":"
            + " {\"restarts\"}}");
  }

  /** {@code ["A=b"]} or {@code [{"name": "A", "value": "b"}]}, as of containers and of ACP. */
  private void pairs(String key, String mark) {
    ConfigMember found = members.get(key);
    if (found == null || !found.value().is(ValueType.ARRAY)) {
      return;
    }
    List<ConfigMember> all = new ArrayList<>();
    for (ConfigNode item : found.value().items()) {
      int at = item.text().indexOf(mark);
      ConfigNode name = item.is(ValueType.OBJECT) ? item.get("name") : null;
      ConfigNode value = item.get("value");
      if (at > 0) {
        String text = item.text().substring(at + 1).strip();
        String before = item.text().substring(0, at).strip();
        all.add(new ConfigMember(before, item.line(), ConfigNode.text(item.line(), text)));
      } else if (name != null && value != null) {
        all.add(new ConfigMember(name.text(), item.line(), value));
      } else {
        return; // the reader says what it must be
      }
    }
    put(key, found.line(), ConfigNode.object(found.line(), all));
    note(
        found.line(),
        "\"" + key + "\" is a list; it is read as names and values",
        "Write \"" + key + "\": {\"NAME\": \"value\"}");
  }

  private void duration(String key, String ours, String unit) {
    ConfigMember found = members.get(key);
    if (found == null || !found.value().is(ValueType.NUMBER) || members.containsKey(ours)) {
      return;
    }
    ConfigNode value =
        unit.equals("s")
            ? SecondsForm.seconds(found.value())
            : ConfigNode.text(found.line(), found.value().number().longValue() + "ms");
    replace(key, ours, value, key, "Write \"" + ours + "\": " + MessageTexts.quote(value.text()));
  }

  /** What other programs name by variables of the environment, or give without a header. */
  private void namedVariables() {
    take(
        "bearer_token_env_var",
        ValueType.STRING,
        "headers",
        name -> header("Authorization", "Bearer ${env:" + name.value().text() + "}", name));
    take(
        "env_http_headers",
        ValueType.OBJECT,
        "headers",
        all ->
            all.value()
                .members()
                .forEach(one -> header(one.name(), "${env:" + one.value().text() + "}", one)));
    // Codex passes a variable that is not set on as one that is not set; an empty one is nearest.
    take("env_vars", ValueType.ARRAY, "env", all -> variables(all, ":-}"));
    take("env_keys", ValueType.ARRAY, "env", all -> variables(all, "}"));
    String header = text("api_key_header", "Authorization");
    String format =
        text("api_key_format", header.equals("Authorization") ? "Bearer {token}" : "{token}");
    take(
        "api_key_env",
        ValueType.STRING,
        "headers",
        name ->
            header(header, format.replace("{token}", "${env:" + name.value().text() + "}"), name));
    for (String key : List.of("authorization_token", "bearer_token", "bearerToken")) {
      take(
          key, ValueType.STRING, "headers", token -> header("Authorization", bearer(token), token));
    }
  }

  private static String bearer(ConfigMember token) {
    String text = token.value().text();
    return text.regionMatches(true, 0, "Bearer ", 0, 7) ? text : "Bearer " + text;
  }

  /** The text of a member, which is taken out. */
  private String text(String key, String otherwise) {
    ConfigMember found = members.remove(key);
    return found == null ? otherwise : found.value().text();
  }

  private void variables(ConfigMember all, String end) {
    for (ConfigNode each : all.value().items()) {
      ConfigNode name = each.is(ValueType.OBJECT) ? each.get("name") : each;
      if (name != null && name.is(ValueType.STRING)) {
        into("env", name.text(), ConfigNode.text(all.line(), "${env:" + name.text() + end));
      }
    }
  }

  private void take(String key, ValueType type, String ours, Consumer<ConfigMember> as) {
    ConfigMember found = members.get(key);
    if (found != null && found.value().is(type)) {
      members.remove(key);
      note(
          found.line(),
          "\"" + key + "\" is read as variables in \"" + ours + "\"",
          "Write them there, as ${NAME}");
      as.accept(found);
    }
  }

  private void header(String name, String value, ConfigMember from) {
    into("headers", name, ConfigNode.text(from.line(), value));
  }

  /** Adds a value to an object of the entry, where it does not have it. */
  private void into(String key, String name, ConfigNode value) {
    ConfigMember own = members.get(key);
    if (own == null || own.value().is(ValueType.NULL)) {
      own = new ConfigMember(key, value.line(), ConfigNode.object(value.line(), List.of()));
    }
    if (own.value().is(ValueType.OBJECT) && own.value().get(name) == null) {
      members.put(key, own.with(own.value().with(name, value)));
    }
  }

  /** {@code auth} as a word (FastMCP, Hermes), and other programs' keys in {@code oauth}. */
  private void oauth() {
    ConfigMember auth = members.get("auth");
    if (auth != null && auth.value().is(ValueType.STRING)) {
      members.remove("auth");
      String word = auth.value().text();
      if (word.equalsIgnoreCase("oauth")) {
        members.putIfAbsent(
            "oauth",
            new ConfigMember("oauth", auth.line(), ConfigNode.object(auth.line(), List.of())));
      } else if (!word.isBlank() && !word.equalsIgnoreCase("none")) {
        header("Authorization", bearer(auth), auth);
      }
    }
    ConfigMember provider = members.get("authProviderType"); // Gemini; the others are of Google
    if (provider != null && provider.value().text().equals("dynamic_discovery")) {
      members.remove("authProviderType");
    }
    ForeignOAuth.BESIDE.forEach(
        (key, ours) ->
            Optional.ofNullable(members.remove(key))
                .ifPresent(found -> into("oauth", ours, found.value())));
    for (String key : List.of("oauth", "auth")) {
      ConfigMember found = members.get(key);
      if (found == null || ForeignOAuth.isOff(found.value())) {
        members.remove(key);
      } else if (found.value().is(ValueType.OBJECT) || found.value().is(ValueType.BOOLEAN)) {
        members.put(key, found.with(ForeignOAuth.translated(found.value(), this::isFoundOut)));
      }
    }
  }

  private void isFoundOut(ConfigMember ignored) {
    note(
        ignored.line(),
        MessageTexts.quote("oauth." + ignored.name()) + " is ignored",
        "mcpbus finds it out by itself; \"issuer\" names the authorization server");
  }

  private void command() {
    ConfigMember command = members.get("command");
    if (command == null) {
      return;
    }
    ConfigNode value = command.value();
    if (value.is(ValueType.ARRAY)
        && !value.items().isEmpty()
        && value.items().stream().noneMatch(ClientAliases::isNested)) {
      List<ConfigNode> words = value.items();
      split(command, words.get(0), words.subList(1, words.size()), "is a list");
    } else if (value.is(ValueType.OBJECT)) {
      commandObject(command);
    } else if (value.is(ValueType.STRING) && COMMAND_LINE.matcher(value.text().strip()).matches()) {
      List<ConfigNode> words =
          Stream.of(value.text().strip().split("\\s+"))
              .map(word -> ConfigNode.text(value.line(), word))
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
      put(part.name().equals("path") ? "command" : part.name(), part.line(), part.value());
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

  private void put(String key, int line, ConfigNode value) {
    members.put(key, new ConfigMember(key, line, value));
  }

  /**
   * @param shown what is read as {@code by}
   */
  private void replace(String key, String by, ConfigNode value, String shown, String remedy) {
    ConfigMember old = members.remove(key);
    int line = old == null ? 0 : old.line();
    note(line, "\"" + shown + "\" is read as \"" + by + "\"", remedy);
    put(by, line, value);
  }
}
