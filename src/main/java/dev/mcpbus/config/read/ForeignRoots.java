package dev.mcpbus.config.read;

import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.config.read.ConfigNode.ValueType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the servers in files of programs that have them under other keys than mcpbus, and moves
 * them under {@code mcpServers}, as objects by name in mcpbus's own keys. {@code check}, {@code
 * run}, {@code import} and the preview of a text use it, so that a file means the same to all.
 * Owned by one read.
 */
public final class ForeignRoots {

  /** Where a program has its servers, in the order in which a file is searched. */
  private enum Form {
    CODEX("Codex", "mcp_servers"),
    ZED("Zed", "context_servers"),
    VS_CODE("VS Code or fast-agent", "mcp", "servers"),
    VS_CODE_FLAT("VS Code", "mcp.servers"),
    VS_CODE_WORKSPACE("VS Code", "settings", "mcp", "servers"),
    VS_CODE_CONTAINER("VS Code", "customizations", "vscode", "mcp", "servers"),
    AMP("Amp", "amp.mcpServers"),
    AUGMENT("Augment", "augment.advanced", "mcpServers"),
    CONTINUE_JSON("Continue", "experimental", "modelContextProtocolServers"),
    GOOSE("Goose", "extensions"),
    OPENCODE("opencode or Crush", "mcp"),
    LIST("Continue", "mcpServers"),
    LIST_OF_TOML("Vibe or Anthropic's API", "mcp_servers"),
    LIST_OF_SERVERS("another program", "servers"),
    SECONDS("Cline, Roo or Kilo Code", "mcpServers"),
    BARE("a plug-in of Claude Code"),
    /** Keys as of mcpbus, in a file that is certainly another program's. */
    PLACE("the program of this file");

    final String program;

    /** The keys above the servers, with blanks between them. */
    private final String keys;

    /** Whether its entries are those of mcpbus, so that an unknown key in them is a mistake. */
    final boolean own;

    Form(String program, String... path) {
      this.program = program;
      this.keys = String.join(" ", path);
      this.own = path.length == 0 || path[0].equals("mcpServers");
    }

    List<String> path() {
      return keys.isEmpty() ? List.of() : List.of(keys.split(" "));
    }

    String shown() {
      return MessageTexts.quote(keys.replace(' ', '.'));
    }
  }

  /** What an entry reaches its server by, in the words of all programs. */
  static final Set<String> WAYS =
      ConfigKeys.words("command cmd url uri serverUrl server_url httpUrl baseUrl endpoint address");

  /** Types of Goose and of Zed whose servers are parts of that program. */
  private static final List<String> BUILT_IN =
      List.of("builtin", "platform", "frontend", "inline_python", "extension");

  /** Files in which a timeout counts seconds, though the rest is as in other programs. */
  private static final List<String> IN_SECONDS =
      List.of(
          "cline_mcp_settings.json",
          "rooveterinaryinc.roo-cline/settings/mcp_settings.json",
          "kilocode.kilo-code/settings/mcp_settings.json",
          ".roo/mcp.json",
          ".kilocode/mcp.json");

  /** {@code {env:NAME}} of opencode. */
  private static final Pattern ENV = Pattern.compile("\\{env:([^{}]{1,200})}");

  /** {@code ${{ secrets.NAME }}} of Continue; the part in front of the name is not used. */
  private static final Pattern SECRET =
      Pattern.compile("\\$\\{\\{\\s*(?:secrets|inputs)\\.([\\w./-]{1,200})\\s*}}");

  /** {@code $NAME} of Crush. */
  private static final Pattern DOLLAR = Pattern.compile("\\$([A-Za-z_]\\w*)");

  private final Form form;
  private final ProblemCollector problems;

  private ForeignRoots(Form form, ProblemCollector problems) {
    this.form = form;
    this.problems = problems;
  }

  /**
   * The document with its servers under {@code mcpServers}; the same one if it has them under a key
   * of mcpbus, or none. A note names the program and the key.
   *
   * @param file whose name tells files of one key apart, such as Codex's {@code mcp_servers} by
   *     {@code .toml}
   */
  public static ConfigNode moved(ConfigNode written, Path file, ProblemCollector problems) {
    if (!written.is(ValueType.OBJECT)) {
      return written;
    }
    ConfigNode root = ListedServers.of(written);
    for (Form form : Form.values()) {
      ConfigNode servers = root;
      for (String key : form.path()) {
        servers = servers == null ? null : servers.get(key);
      }
      if (servers != null && isThere(form, root, servers, file)) {
        return new ForeignRoots(form, problems).document(root, servers);
      }
    }
    boolean ours = ConfigKeys.OURS.stream().anyMatch(key -> root.get(key) != null);
    ForeignRoots place = new ForeignRoots(Form.PLACE, problems);
    return ours || !ClientFile.isOfProgram(file) ? root : root.withServers(place::lenient);
  }

  private static boolean isThere(Form form, ConfigNode root, ConfigNode servers, Path file) {
    long roots = ConfigKeys.ROOTS.stream().filter(key -> root.get(key) != null).count();
    boolean ours = roots > 0;
    return switch (form) {
      case CODEX ->
          servers.is(ValueType.OBJECT)
              && String.valueOf(file.getFileName()).toLowerCase(Locale.ROOT).endsWith(".toml");
      case SECONDS -> servers.is(ValueType.OBJECT) && IN_SECONDS.stream().anyMatch(file::endsWith);
      case LIST -> servers.items().stream().anyMatch(item -> item.is(ValueType.OBJECT));
      case LIST_OF_TOML, LIST_OF_SERVERS ->
          roots == 1 && servers.items().stream().anyMatch(ForeignRoots::isServer);
      case PLACE -> false;
      case BARE ->
          !ours
              && !RegistryFile.is(root)
              && !root.members().isEmpty()
              && root.members().stream().allMatch(member -> isServer(member.value()));
      case GOOSE, OPENCODE ->
          !ours && servers.members().stream().anyMatch(member -> isNamed(member.value()));
      default -> !ours && (servers.is(ValueType.OBJECT) || servers.is(ValueType.ARRAY));
    };
  }

  public static boolean isServer(ConfigNode node) {
    return WAYS.stream().anyMatch(way -> node.get(way) != null);
  }

  /** An entry, or one that only switches a server of that name off. */
  private static boolean isNamed(ConfigNode node) {
    return isServer(node)
        || (node.get("enabled") != null
            && (node.get("type") != null || node.get("config") != null));
  }

  private ConfigNode document(ConfigNode root, ConfigNode servers) {
    if (!form.own) {
      problems.note(
          root.line(),
          null,
          form.shown() + " of " + form.program + " is read as \"mcpServers\"",
          "\"mcpbus import FILE\" writes the servers in mcpbus's own keys");
    }
    ForeignRestrictions outside = form.own ? null : restrictions(root);
    List<ConfigMember> entries = new ArrayList<>();
    for (ConfigMember server : named(servers)) {
      entry(server)
          .flatMap(one -> outside == null ? Optional.of(one) : outside.applied(one, server.name()))
          .ifPresent(one -> entries.add(new ConfigMember(server.name(), server.line(), one)));
    }
    int line = servers.line();
    List<ConfigMember> members = new ArrayList<>();
    members.add(new ConfigMember("mcpServers", line, ConfigNode.object(line, entries)));
    ConfigNode holder = root;
    for (String key : form.path()) {
      ConfigNode inputs = holder == null ? null : holder.get("inputs");
      if (inputs != null && inputs.is(ValueType.ARRAY)) {
        members.removeIf(member -> member.name().equals("inputs"));
        members.add(new ConfigMember("inputs", inputs.line(), inputs));
      }
      holder = holder == null ? null : holder.get(key);
    }
    // Settings of mcpbus beside a list are meant for it; "auth" elsewhere must not go unseen.
    root.members().stream()
        .filter(
            member ->
                form.own
                    ? form != Form.BARE && ConfigKeys.OURS.contains(member.name())
                    : member.name().equals("auth"))
        .forEach(members::add);
    return ConfigNode.object(root.line(), members);
  }

  private ForeignRestrictions restrictions(ConfigNode root) {
    String own = form == Form.OPENCODE ? "" : form == Form.AMP ? "amp." : null;
    return new ForeignRestrictions(root, form.program, own, form.path().get(0), problems);
  }

  /** The servers by name; those of a list have their names inside. */
  private List<ConfigMember> named(ConfigNode servers) {
    if (!servers.is(ValueType.ARRAY)) {
      return servers.members();
    }
    Map<String, ConfigMember> byName = new HashMap<>();
    List<ConfigMember> all = new ArrayList<>();
    for (ConfigNode item : servers.items()) {
      ConfigNode name = item.get("name");
      if (name == null || !name.is(ValueType.STRING) || name.text().isBlank()) {
        problems.fatal(
            item.line(),
            "a server in the list " + form.shown() + " has no \"name\"",
            "Write \"name\" into each, or the servers as an object by name");
        continue;
      }
      ConfigMember member = new ConfigMember(name.text(), item.line(), item.without("name"));
      ConfigMember before = byName.putIfAbsent(name.text(), member);
      if (before == null) {
        all.add(member);
      } else {
        problems.fatal(
            item.line(),
            "the name "
                + MessageTexts.quote(MessageTexts.cut(name.text()))
                + " stands twice, on lines "
                + before.line()
                + " and "
                + item.line(),
            "Remove or rename one of them");
      }
    }
    return all;
  }

  /** The entry in our keys; empty if the program alone can start it. */
  private Optional<ConfigNode> entry(ConfigMember server) {
    String name = MessageTexts.cut(server.name());
    ConfigNode inner = server.value().get("config"); // as Goose once wrote it
    ConfigNode written =
        form == Form.GOOSE && inner != null ? joined(inner, server.value()) : server.value();
    if (!written.is(ValueType.OBJECT)) {
      return Optional.of(written);
    }
    if (isBuiltIn(written)) {
      if (!isOff(written)) {
        problems.note(
            server.line(),
            name,
            "it is a part of " + form.program + ", which alone can start it; it is left out",
            "Leave it there, or name the program of the server in \"command\"");
      }
      return Optional.empty();
    }
    int before = problems.count();
    List<ConfigMember> members = new ArrayList<>();
    for (ConfigMember member : written.members()) {
      ConfigNode value = member.value();
      if (member.name().equals("timeout") && countsSeconds(written)) {
        value = SecondsForm.seconds(value);
      } else if (form == Form.GOOSE
          && member.name().equals("available_tools")
          && value.items().isEmpty()) {
        continue; // to Goose it means all
      }
      members.add(member.with(value.texts(text -> text(text, member.line(), name))));
    }
    ConfigNode same = ConfigNode.object(written.line(), members);
    ConfigNode own = form.own ? same : ClientAliases.translated(same, name, true, problems);
    if (problems.count() > before) {
      return Optional.empty();
    }
    return Optional.of(form.own ? own : known(own, name));
  }

  private static ConfigNode joined(ConfigNode inner, ConfigNode outer) {
    List<ConfigMember> members = new ArrayList<>(inner.members());
    outer.members().stream()
        .filter(member -> !member.name().equals("config") && inner.get(member.name()) == null)
        .forEach(members::add);
    return ConfigNode.object(outer.line(), members);
  }

  private static boolean isBuiltIn(ConfigNode entry) {
    boolean part =
        List.of("type", "source").stream()
            .map(entry::get)
            .anyMatch(kind -> kind != null && BUILT_IN.contains(kind.text()));
    return !isServer(entry) && (part || entry.get("settings") != null || entry.get("uses") != null);
  }

  private static boolean isOff(ConfigNode entry) {
    ConfigNode enabled = entry.get("enabled");
    return enabled != null && enabled.text().equals("false");
  }

  private boolean countsSeconds(ConfigNode entry) {
    ConfigNode type = entry.get("type");
    boolean crush = type != null && List.of("stdio", "http", "sse").contains(type.text());
    return List.of(Form.ZED, Form.GOOSE, Form.SECONDS).contains(form)
        || (form == Form.OPENCODE && crush);
  }

  /** An entry in our own keys, of which those that mcpbus does not know are notes. */
  private ConfigMember lenient(ConfigMember server) {
    String name = ServerNames.key(server.name());
    ConfigNode entry = ClientAliases.translated(server.value(), name, false, problems);
    return server.with(entry.is(ValueType.OBJECT) ? known(entry, name) : entry);
  }

  /** Without keys that only that program knows; each is a note, unless it may be a restriction. */
  private ConfigNode known(ConfigNode entry, String name) {
    List<ConfigMember> members = new ArrayList<>();
    for (ConfigMember member : entry.members()) {
      String key = member.name();
      boolean foreign = ConfigSchema.SERVER.foreign().test(key);
      if (ConfigSchema.SERVER.keys().containsKey(key)
          || (!foreign && ForeignRestrictions.RESTRICTS.matcher(key).find())
          || (!foreign && form == Form.PLACE && MessageTexts.isNear(key, ConfigKeys.SERVER))) {
        members.add(member);
      } else if (!foreign) {
        problems.note(
            member.line(),
            name,
            "the key " + MessageTexts.quote(key) + " of " + form.program + " is ignored",
            "Nothing is to be done if the server runs");
      }
    }
    return ConfigNode.object(entry.line(), members);
  }

  /** The program's way to name a variable as ours. */
  private String text(String text, int line, String server) {
    if (form == Form.LIST && text.contains("${{")) {
      Matcher secret = SECRET.matcher(text);
      return secret.replaceAll(
          found -> {
            String whole = found.group(1);
            return Matcher.quoteReplacement(
                "${env:" + whole.substring(whole.lastIndexOf('/') + 1) + "}");
          });
    }
    if (form != Form.OPENCODE) {
      return text;
    }
    String foreign = text.contains("{file:") ? "{file:...}" : text.contains("$(") ? "$(...)" : null;
    if (foreign != null) {
      problems.add(
          line,
          server,
          "mcpbus does not read " + foreign + " in a text",
          "Put the value into a variable and write ${NAME}");
    }
    String ours = ENV.matcher(text).replaceAll("\\${env:$1}");
    return DOLLAR.matcher(ours).replaceAll("\\${$1}");
  }
}
