package dev.mcpbus.config.paste;

import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.read.ClientAliases;
import dev.mcpbus.config.read.ClientFile;
import dev.mcpbus.config.read.ConfigNode;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.config.read.ConfigNode.ValueType;
import dev.mcpbus.config.read.ConfigReader;
import dev.mcpbus.config.read.ProblemCollector;
import dev.mcpbus.config.read.SecondsForm;
import dev.mcpbus.config.read.ServerNames;
import dev.mcpbus.config.read.Substitution;
import dev.mcpbus.protocol.Printable;
import dev.mcpbus.protocol.ServerId;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What would be added if a person added the servers of a text that they have at hand, such as a
 * page of a server's documentation. The preview starts nothing, connects nowhere, reads no file and
 * uses no value of a variable: it says which variables have one. Owned by one read.
 */
public final class ServerPreview {

  /** Bytes of a text in UTF-8. */
  public static final int MAX_BYTES = 256 * 1024;

  private static final int MAX_SERVERS = 200;
  private static final int MAX_PROBLEMS = 50;

  /** A longer text in an entry is refused before any pattern is applied to it. */
  private static final int MAX_TEXT = 4_096;

  /** Aliases of YAML can repeat a text many times. */
  private static final int MAX_ENTRY = 64 * 1024;

  private static final int MAX_ALL = 1024 * 1024;

  private static final Pattern REFERENCE =
      Pattern.compile("\\$\\{(env:|input:)?([A-Za-z_][\\w.-]*+)(?::-[^}]*+)?+(}|\\z)");

  /** Names of the machine's paths, not of variables. */
  private static final Set<String> PATHS =
      Set.of("userHome", "workspaceFolderBasename", "pathSeparator");

  private static final Pattern CONTAINER = Pattern.compile("(?:.*/)?(?:docker|podman|nerdctl)");
  private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  private final Path folder;
  private final ConfigEnvironment sealed;
  private final ProblemCollector general = new ProblemCollector("the text");
  private final Map<String, PastedServer> shown = new LinkedHashMap<>();
  private final List<ConfigProblem> ofEntries = new ArrayList<>();
  private int leftOut;

  private ServerPreview(Path folder, ConfigEnvironment environment) {
    this.folder = folder;
    this.sealed = environment.ofCaller().sealed();
  }

  /**
   * {@code {servers: [{name, config, view, runs?, connects?, variables, problems, notes?}],
   * problems, notes?, leftOut?}}. A problem is {@code {line?, message, remedy}}; a server with
   * problems cannot be added as it is.
   *
   * @param text of at most {@link #MAX_BYTES}
   * @param folder the base of relative paths
   */
  public static JsonObject of(String text, Path folder, ConfigEnvironment environment) {
    return new ServerPreview(folder, environment).read(text);
  }

  private JsonObject read(String text) {
    PastedText pasted = new PastedText(sealed, general);
    pasted.read(text);
    boolean seconds = pasted.root().equals("mcp_servers");
    choose(pasted.servers(), seconds);
    ProblemCollector checked =
        ConfigReader.check(
            PastedText.document(seconds ? "servers" : pasted.root(), shown, pasted.inputs()),
            folder,
            sealed);
    ofEntries.addAll(checked.sorted());
    shown.values().removeIf(server -> !server.entry().is(ValueType.OBJECT));
    JsonArray servers = new JsonArray();
    Map<String, String> names = names();
    shown.forEach(
        (key, server) ->
            servers.add(server(names.getOrDefault(key, key), key, server.entry(), checked)));
    JsonObject reply = new JsonObject().put("servers", servers);
    if (leftOut > 0) {
      general.fatal(
          0,
          leftOut + " more servers are left out: a preview shows " + MAX_SERVERS + " at most",
          "Paste fewer servers at once");
      reply.put("leftOut", leftOut);
    }
    List<ConfigProblem> whole = new ArrayList<>(general.sorted());
    ofEntries.stream().filter(problem -> !isShown(problem)).forEach(whole::add);
    reply.put("problems", problems(whole));
    List<ConfigProblem> notes = general.notes();
    return notes.isEmpty() ? reply : reply.put("notes", problems(notes));
  }

  private boolean isShown(ConfigProblem problem) {
    return problem.server() != null
        && shown.keySet().stream().anyMatch(key -> ServerNames.key(key).equals(problem.server()));
  }

  // ---- which servers, by which names

  private void choose(List<PastedServer> all, boolean seconds) {
    int size = 0;
    for (PastedServer server : all) {
      int own = size(server.entry());
      if (shown.size() == MAX_SERVERS || size + Math.min(own, MAX_ENTRY) > MAX_ALL) {
        leftOut++;
      } else if (own > MAX_ENTRY || longest(server.entry()) > MAX_TEXT) {
        String name = server.name() == null ? "a server" : MessageTexts.quote(server.name());
        general.fatal(
            server.line(),
            name + " is left out: an entry holds a text of over 4 KiB, or is over 64 KiB",
            "Write it into the configuration file, or shorten it");
      } else {
        size += own;
        String name = server.name() == null ? derived(server.entry()) : server.name();
        ConfigNode entry =
            seconds
                ? SecondsForm.rewritten(server.entry(), ServerNames.key(name), general)
                : server.entry();
        shown.put(
            unique(name, server.name() != null), new PastedServer(name, entry, server.line()));
      }
    }
  }

  /** A key that no other server of the text has; only a derived name gets a number for that. */
  private String unique(String name, boolean written) {
    String key = name;
    for (int i = 2; shown.containsKey(key); i++) {
      key = name + "-" + i;
    }
    if (written && !key.equals(name)) {
      general.fatal(
          0, "the name " + MessageTexts.quote(name) + " stands twice", "Rename one of them");
    }
    return key;
  }

  private static String derived(ConfigNode entry) {
    ConfigNode own = translated(entry, "unnamed");
    List<String> words = command(own);
    String from = words.isEmpty() ? DerivedName.ofUrl(target(own)) : DerivedName.ofCommand(words);
    return ClientFile.usableName(from.replaceAll("[^\\p{L}\\p{N}]+", "-"));
  }

  /** A name for each key, different from all others: its id, or itself where that has a hash. */
  private Map<String, String> names() {
    Map<String, String> names = new LinkedHashMap<>();
    for (String key : shown.keySet()) {
      String written = ClientFile.usableName(key);
      String usable = ServerId.isHashed(ServerId.of(written)) ? written : ServerId.of(written);
      String name = usable;
      for (int i = 2; names.containsValue(name); i++) {
        name = usable + "-" + i;
      }
      names.put(key, name);
    }
    return names;
  }

  private static int size(ConfigNode node) {
    int size = 8 + node.text().length();
    for (ConfigMember member : node.members()) {
      size += member.name().length() + size(member.value());
      if (size > MAX_ENTRY) {
        return size;
      }
    }
    for (ConfigNode item : node.items()) {
      size += size(item);
      if (size > MAX_ENTRY) {
        return size;
      }
    }
    return size;
  }

  private static int longest(ConfigNode node) {
    int longest = node.text().length();
    for (ConfigMember member : node.members()) {
      longest = Math.max(longest, Math.max(member.name().length(), longest(member.value())));
    }
    for (ConfigNode item : node.items()) {
      longest = Math.max(longest, longest(item));
    }
    return longest;
  }

  // ---- one server

  private JsonObject server(String name, String key, ConfigNode entry, ProblemCollector checked) {
    ConfigNode own = translated(entry, ServerNames.key(key));
    JsonObject json =
        new JsonObject().put("name", name).put("config", entry.toJson()).put("view", view(own));
    List<String> words = command(own);
    String target = target(own);
    if (!words.isEmpty()) {
      json.put("runs", ShellWords.quote(words));
    } else if (!target.isEmpty()) {
      json.put("connects", Printable.line(target));
      ConfigNode helper = own.get("headersHelper");
      if (helper != null && helper.is(ValueType.STRING)) {
        json.put("runs", ShellWords.quote(List.of("/bin/sh", "-c", helper.text())));
      }
    }
    json.put("variables", variables(own, words));
    String shownName = ServerNames.key(key);
    List<ConfigProblem> problems =
        new ArrayList<>(
            ofEntries.stream().filter(each -> shownName.equals(each.server())).toList());
    further(key, entry, problems::add);
    json.put("problems", problems(problems));
    List<ConfigProblem> notes =
        checked.notes().stream().filter(each -> shownName.equals(each.server())).toList();
    return notes.isEmpty() ? json : json.put("notes", problems(notes));
  }

  private static @Nullable Object view(ConfigNode entry) {
    return entry.toJson() instanceof JsonObject json ? MaskedEntry.of(json) : null;
  }

  /** The entry in our own keys, as the reader sees it. */
  private static ConfigNode translated(ConfigNode entry, String server) {
    return ClientAliases.translated(entry, server, new ProblemCollector(""));
  }

  /** The program and its arguments; empty where the entry has no program. */
  private static List<String> command(ConfigNode entry) {
    ConfigNode command = entry.get("command");
    if (command == null || !command.is(ValueType.STRING) || command.text().isBlank()) {
      return List.of();
    }
    List<String> words = new ArrayList<>(List.of(command.text()));
    ConfigNode args = entry.get("args");
    if (args != null) {
      args.items().forEach(arg -> words.add(arg.text()));
    }
    return words;
  }

  private static String target(ConfigNode entry) {
    for (String key : List.of("url", "address")) {
      ConfigNode target = entry.get(key);
      if (target != null && target.is(ValueType.STRING)) {
        return target.text();
      }
    }
    return "";
  }

  /** The names of the variables that an entry sets, refers to, or passes to a container. */
  private static JsonArray variables(ConfigNode entry, List<String> words) {
    Set<String> names = new TreeSet<>();
    ConfigNode env = entry.get("env");
    if (env != null) {
      env.members().forEach(variable -> names.add(variable.name()));
    }
    references(entry, names);
    if (!words.isEmpty() && CONTAINER.matcher(words.get(0)).matches()) {
      for (int i = 1; i + 1 < words.size(); i++) {
        String name = words.get(i + 1).replaceFirst("(?s)=.*", "");
        boolean isEnv = words.get(i).equals("-e") || words.get(i).equals("--env");
        if (isEnv && NAME.matcher(name).matches()) {
          names.add(name);
        }
      }
    }
    return new JsonArray(
        names.stream()
            .limit(MAX_PROBLEMS)
            .map(name -> Printable.line(ServerNames.key(name)))
            .toList());
  }

  private static void references(ConfigNode node, Set<String> names) {
    Matcher found = REFERENCE.matcher(node.text());
    while (found.find() && !found.group(3).isEmpty()) {
      if ("input:".equals(found.group(1))) {
        names.add(ConfigEnvironment.inputVariable(found.group(2)));
      } else if (found.group(1) != null
          || !(PATHS.contains(found.group(2)) || Substitution.FOLDER.contains(found.group(2)))) {
        names.add(found.group(2));
      }
    }
    node.members().forEach(member -> references(member.value(), names));
    node.items().forEach(item -> references(item, names));
  }

  /** Why an entry cannot be added, or should not be, beside what a file is checked for. */
  private static void further(String key, ConfigNode entry, Consumer<ConfigProblem> problems) {
    ConfigNode disabled = entry.get("disabled");
    ConfigNode enabled = entry.get("enabled");
    if ((disabled != null && disabled.text().equals("true"))
        || (enabled != null && enabled.text().equals("false"))) {
      problems.accept(problem(entry, "the entry is disabled", "Remove \"disabled\""));
    }
    Set<String> hidden = new TreeSet<>();
    hidden(key, hidden);
    hidden(entry, hidden);
    if (!hidden.isEmpty()) {
      problems.accept(
          problem(
              entry,
              "the entry has characters that a person does not see: "
                  + String.join(", ", hidden.stream().limit(3).toList()),
              "Remove them: they can make one text look like another"));
    }
  }

  private static ConfigProblem problem(ConfigNode entry, String message, String remedy) {
    return new ConfigProblem("the text", entry.line(), "", message, remedy, false);
  }

  private static void hidden(ConfigNode node, Set<String> found) {
    hidden(node.text(), found);
    node.members()
        .forEach(
            member -> {
              hidden(member.name(), found);
              hidden(member.value(), found);
            });
    node.items().forEach(item -> hidden(item, found));
  }

  private static void hidden(String text, Set<String> found) {
    text.codePoints()
        .filter(c -> c != '\n' && c != '\t' && c != '\r' && Printable.isHidden(c))
        .limit(MAX_PROBLEMS)
        .forEach(c -> found.add(ServerNames.named(c)));
  }

  // ---- problems

  private static JsonArray problems(List<ConfigProblem> all) {
    JsonArray list = new JsonArray();
    for (ConfigProblem one : all.subList(0, Math.min(all.size(), MAX_PROBLEMS))) {
      JsonObject problem = new JsonObject();
      if (one.line() > 0) {
        problem.put("line", one.line());
      }
      list.add(
          problem
              .put("message", Printable.line(one.message()))
              .put("remedy", Printable.line(one.remedy())));
    }
    if (all.size() > MAX_PROBLEMS) {
      list.add(
          new JsonObject()
              .put("message", (all.size() - MAX_PROBLEMS) + " more problems")
              .put("remedy", "Correct these first"));
    }
    return list;
  }
}
