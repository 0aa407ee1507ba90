package dev.mcpbus.config.paste;

import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.paste.ShellWords.ShellCommand;
import dev.mcpbus.config.paste.ShellWords.ShellWord;
import dev.mcpbus.config.read.ConfigNode;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.config.read.ProblemCollector;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads a command line as a server's entry: the command of the server itself, or the command by
 * which a person adds the server to another program, such as {@code claude mcp add}. Starts
 * nothing. Owned by one read.
 */
final class PastedCommand {

  private static final Pattern ASSIGNMENT = Pattern.compile("(?s)[A-Za-z_][A-Za-z0-9_]*=.*");
  private static final Pattern HEADER = Pattern.compile("(?s)[A-Za-z0-9!#$%&'*+.^_`|~-]+:.*");
  private static final Pattern URL = Pattern.compile("(?i)[a-z][a-z0-9+.-]*://\\S+");

  private static final Set<String> ENV = Set.of("-e", "--env");
  private static final Set<String> HEADERS = Set.of("-H", "--header");
  private static final Set<String> TYPE = Set.of("-t", "--transport", "--type");

  /** Options of such commands that say nothing about the server, with the word that follows. */
  private static final Set<String> IGNORED_PAIR =
      Set.of("-s", "--scope", "--description", "--timeout", "--callback-port", "--client-id");

  private static final Set<String> IGNORED = Set.of("--trust", "--client-secret", "--json");

  private static final String AS_JSON = "Write the entry as JSON: {\"command\": ..., \"args\": []}";

  private final ShellCommand command;
  private final ProblemCollector problems;
  private final Map<String, String> env = new LinkedHashMap<>();
  private final Map<String, String> headers = new LinkedHashMap<>();
  private @Nullable String type;
  private @Nullable String url;
  private @Nullable String name;

  private PastedCommand(ShellCommand command, ProblemCollector problems) {
    this.command = command;
    this.problems = problems;
  }

  /**
   * The server of a command; empty after a problem.
   *
   * @param json reads a JSON text that begins on a line
   */
  static List<PastedServer> read(
      ShellCommand command,
      ProblemCollector problems,
      BiFunction<String, Integer, List<PastedServer>> json) {
    if (command.problem() != null) {
      problems.fatal(
          command.line(),
          command.problem(),
          "mcpbus starts programs without a shell: remove it, close the quote, or write a script");
      return List.of();
    }
    List<ShellWord> words = command.words();
    for (int i = 1; i < words.size(); i++) {
      String text = words.get(i).text();
      if (text.equals("--add-mcp") && i + 1 < words.size()) {
        return json.apply(words.get(i + 1).text(), words.get(i + 1).line());
      }
      if (text.startsWith("--add-mcp=")) {
        return json.apply(text.substring("--add-mcp=".length()), words.get(i).line());
      }
    }
    PastedCommand reader = new PastedCommand(command, problems);
    int from = addition(command.texts());
    if (from < 0) {
      return reader.plain(0);
    }
    List<String> texts = command.texts();
    if (texts.get(from - 1).equals("add-json")) {
      return texts.size() < from + 2
          ? List.of()
          : json.apply(texts.get(texts.size() - 1), words.get(texts.size() - 1).line()).stream()
              .map(one -> new PastedServer(texts.get(from), one.entry(), one.line()))
              .toList();
    }
    return reader.added(from);
  }

  /** The number of the word behind {@code claude mcp add}, {@code mcpbus add}; -1 for neither. */
  private static int addition(List<String> words) {
    boolean own = words.size() > 1 && words.get(0).endsWith("mcpbus") && words.get(1).equals("add");
    if (own) {
      return 2;
    }
    boolean other =
        words.size() > 2
            && words.get(1).equals("mcp")
            && (words.get(2).equals("add") || words.get(2).equals("add-json"));
    return other ? 3 : -1;
  }

  /** The command of the server itself, with assignments before it. */
  private List<PastedServer> plain(int from) {
    List<String> words = command.texts();
    int at = from;
    while (at < words.size() && ASSIGNMENT.matcher(words.get(at)).matches()) {
      put(env, words.get(at), '=');
      at++;
    }
    if (at == words.size()) {
      problems.fatal(command.line(), "the command line names no program", AS_JSON);
      return List.of();
    }
    return server(words.subList(at, words.size()));
  }

  /** What stands behind {@code add}: options, a name, and a URL or a command. */
  private List<PastedServer> added(int from) {
    List<String> words = command.texts();
    int at = from;
    while (at < words.size()) {
      String word = words.get(at);
      if (word.equals("--")) {
        return at + 1 < words.size() ? server(words.subList(at + 1, words.size())) : incomplete();
      }
      if (word.startsWith("-") && word.length() > 1) {
        int next = option(words, at);
        if (next < 0) {
          return List.of();
        }
        at = next;
      } else if (name == null) {
        name = word;
        at++;
      } else if (url == null && (isNetwork() || URL.matcher(word).matches())) {
        url = word;
        at++;
      } else if (url == null) {
        return server(words.subList(at, words.size()));
      } else {
        problems.fatal(
            command.line(), "the word " + MessageTexts.quote(word) + " is not expected", AS_JSON);
        return List.of();
      }
    }
    return url == null ? incomplete() : server(List.of());
  }

  private boolean isNetwork() {
    return type != null && !type.equals("stdio");
  }

  private List<PastedServer> incomplete() {
    problems.fatal(
        command.line(),
        "the command line adds a server and names neither a command nor a URL",
        "Write the command behind --, or the URL behind the name");
    return List.of();
  }

  /** Reads an option; returns the number of the word behind it, -1 after a problem. */
  private int option(List<String> words, int at) {
    String word = words.get(at);
    int equals = word.startsWith("--") ? word.indexOf('=') : -1;
    String option = equals < 0 ? word : word.substring(0, equals);
    List<String> values = new ArrayList<>();
    int next = at + 1;
    if (equals >= 0) {
      values.add(word.substring(equals + 1));
    } else if (!IGNORED.contains(option) && next < words.size()) {
      values.add(words.get(next++));
    }
    if (ENV.contains(option)) {
      next = more(words, equals < 0 ? next : words.size() + 1, ASSIGNMENT, values, at + 1);
      values.forEach(value -> put(env, value, '='));
    } else if (HEADERS.contains(option)) {
      next = more(words, equals < 0 ? next : words.size() + 1, HEADER, values, at + 1);
      values.forEach(value -> put(headers, value, ':'));
    } else if (TYPE.contains(option) && !values.isEmpty()) {
      type = values.get(0);
    } else if (option.equals("--url") && !values.isEmpty()) {
      url = values.get(0);
    } else if (option.equals("--bearer-token-env-var") && !values.isEmpty()) {
      headers.put("Authorization", "Bearer ${" + values.get(0) + "}");
    } else if (!IGNORED.contains(option) && !IGNORED_PAIR.contains(option)) {
      problems.fatal(
          command.line(),
          "the option " + MessageTexts.quote(option) + " of this command line is not known",
          AS_JSON);
      return -1;
    }
    return next;
  }

  /** Further words of an option that takes several; {@code single} where it takes one alone. */
  private static int more(
      List<String> words, int from, Pattern form, List<String> values, int single) {
    if (from > words.size()) {
      return single;
    }
    int next = from;
    while (next < words.size() && form.matcher(words.get(next)).matches()) {
      values.add(words.get(next++));
    }
    return next;
  }

  private static void put(Map<String, String> into, String pair, char separator) {
    int at = pair.indexOf(separator);
    if (at > 0) {
      into.put(pair.substring(0, at).strip(), pair.substring(at + 1).strip());
    } else {
      into.put(pair, separator == '=' ? "${" + pair + "}" : "");
    }
  }

  private List<PastedServer> server(List<String> words) {
    int line = command.line();
    List<ConfigMember> members = new ArrayList<>();
    if (type != null && !type.equals("stdio")) {
      members.add(member("type", text(type)));
    }
    if (words.isEmpty()) {
      members.add(member("url", text(Optional.ofNullable(url).orElse(""))));
    } else {
      members.add(member("command", text(words.get(0))));
      if (words.size() > 1) {
        members.add(
            member(
                "args",
                ConfigNode.array(
                    line, words.subList(1, words.size()).stream().map(this::text).toList())));
      }
    }
    map("env", env).ifPresent(members::add);
    map("headers", headers).ifPresent(members::add);
    return List.of(new PastedServer(name, ConfigNode.object(line, members), line));
  }

  private Optional<ConfigMember> map(String key, Map<String, String> values) {
    List<ConfigMember> members = new ArrayList<>();
    values.forEach((each, value) -> members.add(member(each, text(value))));
    return members.isEmpty()
        ? Optional.empty()
        : Optional.of(member(key, ConfigNode.object(command.line(), members)));
  }

  private ConfigMember member(String key, ConfigNode value) {
    return new ConfigMember(key, command.line(), value);
  }

  private ConfigNode text(String value) {
    return ConfigNode.text(command.line(), value);
  }
}
