package dev.mcpbus.config.read;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerOrigin;
import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.config.read.Substitution.EntryVariables;
import dev.mcpbus.config.read.Substitution.Filled;
import dev.mcpbus.connection.options.PinOptions;
import dev.mcpbus.connection.options.ToolPolicy;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.OutboundProxy;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.transport.BusOptions;
import dev.mcpbus.transport.EmbeddedTransportOptions;
import dev.mcpbus.transport.HttpOptions;
import dev.mcpbus.transport.OAuthOptions;
import dev.mcpbus.transport.SocketOptions;
import dev.mcpbus.transport.SseOptions;
import dev.mcpbus.transport.StdioOptions;
import dev.mcpbus.transport.TlsOptions;
import dev.mcpbus.transport.TransportOptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads one server's entry, from a file or from {@code mcp.servers.add}. Owned by one read. */
final class ServerReader {

  private static final Pattern HEADER_NAME = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]+");

  private static final Set<String> OF_PROGRAMS = ConfigKeys.words("args cwd envFile");

  private static final Set<String> OF_REQUESTS =
      ConfigKeys.words("headers streamHeaders headersHelper sessionId oauth auth proxy");

  private static final Pattern SHELL = Pattern.compile("(.*/)?(ba|z|da|k|a)?sh");
  private static final Pattern SCRIPT_FLAG = Pattern.compile("-[a-z]{0,8}c");

  private final ConfigEntry entry;
  private final String server;
  private final JsonObject view = new JsonObject();
  private final List<Sensitive> secrets = new ArrayList<>();
  private final @Nullable EmbeddedTransportOptions own;
  private final Set<Path> envFiles;
  private boolean urlRead;
  private Optional<Filled> url = Optional.empty();
  private List<Filled> further = List.of();
  private final List<String> shownUrls = new ArrayList<>();

  /**
   * @param own the transport that the program made; null where the entry says how to reach the
   *     server
   * @param envFiles receives every file that the entry names, so that it can be watched
   */
  ServerReader(
      ConfigEntry entry,
      String server,
      @Nullable EmbeddedTransportOptions own,
      Set<Path> envFiles) {
    this.entry = entry;
    this.server = server;
    this.own = own;
    this.envFiles = envFiles;
  }

  /** Whether the entry is disabled; then it is not read further. */
  boolean disabled() {
    return entry.flag("disabled").orElse(false) || !entry.flag("enabled").orElse(true);
  }

  /** The definition, or empty after a problem. */
  Optional<ServerDefinition> read(ConnectionId id, String source, ServerSettings defaults) {
    int before = entry.problems().count();
    keys();
    entry.texts("labels");
    int replicas = entry.whole("replicas").orElse(1);
    ToolPolicy tools = ToolRuleReader.read(entry);
    ServerSettings read = SettingsReader.read(entry, defaults);
    ServerSettings settings =
        RecordCopy.with(read, "connection", RecordCopy.with(read.connection(), "tools", tools));
    TransportOptions transport = transport(settings);
    List<TransportOptions> others = others(transport);
    if (replicas > 1 && entry.has("urls")) {
      entry.wrong(
          entry.line("replicas"),
          "\"urls\" give one connection each, so \"replicas\" cannot stand beside them",
          "Remove \"replicas\", or name a URL several times");
    }
    if (settings.connection().balanceKey().isBlank()) {
      entry.wrong(
          entry.line("balanceKey"), "\"balanceKey\" is empty", "Name a header, such as principal");
    }
    settings = IdentityRules.checked(entry, server, settings, transport, replicas);
    if (transport == null || entry.problems().count() > before) {
      return Optional.empty();
    }
    view.put("requestTimeout", settings.connection().requestTimeout().toMillis())
        .put("lazy", settings.connection().lazy())
        .put("toolsOnly", settings.connection().toolsOnly())
        .put("pin", pinned(settings))
        .put("rpcLog", ConfigEntry.word(settings.rpcLog()));
    if (!tools.isOpen()) {
      view.put("toolsRestricted", true);
    }
    if (replicas > 1) {
      view.put("replicas", replicas);
    }
    return Optional.of(
        new ServerDefinition(
            id,
            server,
            transport,
            settings.connection(),
            settings.restart(),
            settings.rpcLog(),
            settings.drain(),
            source,
            view,
            redactor(transport, others),
            null,
            others));
  }

  /**
   * How to reach the instances of {@code urls} after the first, which differ in their URL alone.
   */
  private List<TransportOptions> others(@Nullable TransportOptions first) {
    if (first == null || further.isEmpty()) {
      return List.of();
    }
    HttpOptions http =
        first instanceof HttpOptions plain
            ? plain
            : first instanceof SseOptions sse ? sse.http() : null;
    if (http == null) {
      entry.wrong(
          entry.line("urls"),
          "\"urls\" are those of servers over HTTP, not of type \"" + first.type() + "\"",
          "Give one \"url\"");
      return List.of();
    }
    List<TransportOptions> others = new ArrayList<>();
    for (Filled text : further) {
      Optional<URI> uri = urls().http(text);
      if (uri.isPresent() && !sameScheme(uri.get(), http)) {
        entry.wrong(
            entry.line("urls"),
            "\"urls\" do not all begin with the same scheme",
            "Use http:// or https:// for all of them");
      }
      uri.ifPresent(
          found -> {
            Map<String, Sensitive> headers = new LinkedHashMap<>(http.headers());
            String url = urls().withoutUser(found, headers).toString();
            HttpOptions other =
                RecordCopy.with(http, Map.of("url", Sensitive.of(url), "headers", headers));
            others.add(first instanceof SseOptions ? new SseOptions(other) : other);
          });
    }
    view.remove("url");
    view.put("urls", new JsonArray(shownUrls));
    return others;
  }

  private static boolean sameScheme(URI uri, HttpOptions first) {
    return first
        .url()
        .reveal()
        .toLowerCase(Locale.ROOT)
        .startsWith(uri.getScheme().toLowerCase(Locale.ROOT) + ":");
  }

  /** Removes all secrets of the entry; a host is not a secret, even if a variable holds it. */
  private Redactor redactor(TransportOptions transport, List<TransportOptions> others) {
    secrets.addAll(transport.secrets());
    others.forEach(other -> secrets.addAll(other.secrets()));
    further.forEach(text -> secrets.addAll(EntryMasking.secrets(text.value())));
    List<Sensitive> inserted = entry.substitution().inserted(server);
    url.ifPresent(text -> secrets.addAll(EntryMasking.secrets(text.value())));
    secrets.addAll(
        url.map(text -> EntryMasking.withoutHost(inserted, text.value())).orElse(inserted));
    return Redactor.of(secrets);
  }

  private static Object pinned(ServerSettings settings) {
    PinOptions pin = settings.connection().pin();
    return pin.hashes().isEmpty()
        ? (Object) pin.firstUse()
        : new JsonObject(Map.copyOf(pin.hashes()));
  }

  private void keys() {
    for (ConfigMember member : entry.node().members()) {
      boolean known =
          entry.schema().keys().containsKey(member.name())
              || entry.schema().foreign().test(member.name());
      if (!known) {
        entry.unknown(member, ConfigKeys.SERVER);
      }
    }
  }

  private @Nullable TransportOptions transport(ServerSettings settings) {
    if (own != null) {
      entry.node().members().stream()
          .filter(member -> ConfigKeys.REACHING.contains(member.name()))
          .forEach(
              member ->
                  entry.wrong(
                      member.line(),
                      MessageTexts.quote(member.name())
                          + " has no meaning for a transport that the program has made",
                      "Remove it"));
      view.put("type", own.kind());
      return own;
    }
    String type = new ServerTypeResolver(entry, this::url).read();
    if (!ServerTypeResolver.keyOf(type).isEmpty() && entry.has("options")) {
      entry.wrong(
          entry.line("options"),
          "\"options\" belongs to a transport that is a plug-in, not to \"" + type + "\"",
          "Remove it, or set \"type\"");
    }
    meaningless(type);
    view.put("type", type);
    ParseLimits limits = settings.connection().limits();
    return switch (type) {
      case StdioOptions.TYPE -> stdio(settings, limits);
      case HttpOptions.TYPE -> http(settings, limits);
      case SseOptions.TYPE -> sse(settings, limits);
      case SocketOptions.TYPE -> socket(settings, limits);
      case BusOptions.TYPE -> bus();
      default -> plugged(type, settings);
    };
  }

  /** Tells of keys of another type: files of other clients have them, and they do nothing. */
  private void meaningless(String type) {
    boolean http = type.equals(HttpOptions.TYPE) || type.equals(SseOptions.TYPE);
    boolean stdio = type.equals(StdioOptions.TYPE);
    for (ConfigMember member : entry.node().members()) {
      String key = member.name();
      boolean dropped =
          (OF_PROGRAMS.contains(key) && !stdio)
              || (OF_REQUESTS.contains(key) && !http)
              || (key.equals("tls") && !http && !type.equals(SocketOptions.TYPE));
      if (dropped && !type.isEmpty() && !member.value().isEmpty()) {
        entry.note(
            member.line(),
            MessageTexts.quote(key)
                + " is not used: it has no meaning for a server of type \""
                + type
                + "\"",
            stdio && OF_REQUESTS.contains(key)
                ? "Remove it; a program takes \"env\" and \"args\""
                : "Remove it, or set another \"type\"");
      }
    }
  }

  /** The options of a plug-in's transport; null after a problem. */
  private @Nullable TransportOptions plugged(String type, ServerSettings settings) {
    return Plugins.transports()
        .find(type)
        .flatMap(provider -> new PluginEntryReader(entry, view).read(provider, url(), settings))
        .orElse(null);
  }

  private @Nullable TransportOptions stdio(ServerSettings settings, ParseLimits limits) {
    Map<String, Filled> env = env();
    ConfigEntry filling = entry.with(new EntryVariables(env, EntryVariables.EntryUse.FIRST));
    Optional<Filled> command = filling.text("command").map(this::atHome);
    command.ifPresent(text -> filled("command", text, "Name a program"));
    boolean isScript = command.filter(this::isShell).isPresent();
    List<Filled> args =
        (isScript ? entry.with(new EntryVariables(env, EntryVariables.EntryUse.BY_SHELL)) : filling)
            .texts("args")
            .orElse(List.of());
    args.forEach(arg -> noNul("args", arg));
    Optional<Path> cwd = filling.path("cwd");
    if (command.isEmpty()) {
      return null;
    }
    secrets.addAll(EntryMasking.secrets(args));
    // A command that holds its arguments cannot start, and the failure quotes it.
    secrets.addAll(EntryMasking.secrets(words(command.get())));
    view.put("command", EntryMasking.command(command.get()))
        .put("args", new JsonArray(EntryMasking.args(args)))
        .put("env", hidden(env.keySet()));
    cwd.ifPresent(path -> view.put("cwd", shown("cwd", path)));
    Map<String, Sensitive> values = new LinkedHashMap<>();
    env.forEach((name, value) -> values.put(name, value.value()));
    return new StdioOptions(
        command.get().value(),
        args.stream().map(Filled::value).toList(),
        values,
        cwd.map(path -> Sensitive.of(path.toString())).orElse(null),
        settings.closeGrace(),
        limits);
  }

  /** The variables that the entry sets: those of its file, and then its own. */
  private Map<String, Filled> env() {
    Map<String, Filled> env = new LinkedHashMap<>();
    Optional<Path> envFile = entry.file("envFile");
    if (envFile.isPresent()) {
      envFiles.add(envFile.get());
    }
    if (envFile.isPresent() && !entry.substitution().isSealed()) {
      String shown = shown("envFile", envFile.get());
      EnvFile.read(envFile.get(), shown, entry.line("envFile"), server, entry.problems())
          .forEach((name, value) -> env.put(name, new Filled(value, Sensitive.MASK)));
    }
    Map<String, Filled> plain = new LinkedHashMap<>(env);
    plain.putAll(plainEnv());
    entry
        .with(new EntryVariables(plain, EntryVariables.EntryUse.LAST))
        .map("env")
        .orElse(Map.of())
        .forEach(
            (name, value) -> {
              if (name.isBlank() || name.indexOf('=') >= 0 || name.indexOf('\0') >= 0) {
                entry.wrong(
                    entry.line("env"),
                    MessageTexts.quote(name) + " is not the name of a variable",
                    "Use letters, digits and underscores");
              }
              noNul("env." + name, value);
              env.put(name, value);
            });
    return env;
  }

  /** {@code ~/bin/server}, which a shell would find in the user's folder. */
  private Filled atHome(Filled text) {
    String home = entry.substitution().userHome().toString();
    return text.value().reveal().startsWith("~/")
        ? new Filled(
            Sensitive.of(home + text.value().reveal().substring(1)),
            home + text.shown().substring(1),
            text.open())
        : text;
  }

  /** The variables that the entry sets and that refer to nothing. */
  private Map<String, Filled> plainEnv() {
    Map<String, Filled> plain = new LinkedHashMap<>();
    entry.plainMembers("env").forEach((name, text) -> plain.put(name, Filled.hidden(text)));
    return plain;
  }

  /** Whether the arguments are a script for a shell, which has the variables of the entry. */
  private boolean isShell(Filled command) {
    ConfigNode args = entry.node().get("args");
    return SHELL.matcher(ConfigEntry.word(command)).matches()
        && args != null
        && args.items().stream().anyMatch(arg -> SCRIPT_FLAG.matcher(arg.text()).matches());
  }

  /** The words after the first. */
  private static List<Filled> words(Filled text) {
    return List.of(text.value().reveal().split("\\s+")).stream()
        .skip(1)
        .map(Filled::plain)
        .toList();
  }

  private @Nullable HttpOptions http(ServerSettings settings, ParseLimits limits) {
    Map<String, Sensitive> headers = new LinkedHashMap<>();
    entry
        .with(new EntryVariables(plainEnv(), EntryVariables.EntryUse.FIRST))
        .map("headers")
        .orElse(Map.of())
        .forEach(
            (name, value) -> {
              header("headers", name, value);
              headers.put(name, value.value());
            });
    Map<String, Sensitive> streamHeaders = new LinkedHashMap<>();
    entry
        .with(new EntryVariables(plainEnv(), EntryVariables.EntryUse.FIRST))
        .map("streamHeaders")
        .orElse(Map.of())
        .forEach(
            (name, value) -> {
              header("streamHeaders", name, value);
              streamHeaders.put(name, value.value());
            });
    Optional<Filled> session = entry.text("sessionId");
    session.ifPresent(this::sessionId);
    entry.text("version"); // as the seed's own code does: accepted, and nothing is done with it
    Optional<Boolean> listen = entry.flag("listen");
    Optional<Filled> url = url();
    Optional<URI> uri = url.flatMap(text -> urls().http(text));
    if (url.isEmpty() || uri.isEmpty()) {
      return null;
    }
    URI plain = urls().withoutUser(uri.get(), headers);
    view.put("url", EntryMasking.url(url.get().shown())).put("headers", hidden(headers.keySet()));
    Optional<Filled> helper = entry.text("headersHelper");
    helper.ifPresent(text -> filled("headersHelper", text, "Name a command, or remove it"));
    OAuthOptions oauth = new OAuthReader(entry, view).read().orElse(null);
    boolean authorized = headers.keySet().stream().anyMatch("authorization"::equalsIgnoreCase);
    if (oauth != null && (helper.isPresent() || authorized)) {
      entry.wrong(
          entry.node().line(),
          "OAuth cannot be combined with a headersHelper or an Authorization header",
          "Keep one of them");
    }
    if (!streamHeaders.isEmpty()) {
      view.put("streamHeaders", hidden(streamHeaders.keySet()));
    }
    session.ifPresent(text -> view.put("sessionId", Sensitive.MASK));
    helper.ifPresent(text -> view.put("headersHelper", Sensitive.MASK));
    helper.ifPresent(text -> secrets.addAll(EntryMasking.secrets(words(text))));
    return new HttpOptions(
        Sensitive.of(plain.toString()),
        headers,
        settings.connectTimeout(),
        listen.orElse(true),
        HttpOptions.CONNECTIONS,
        limits,
        oauth,
        helper.map(Filled::value).orElse(null),
        tls(uri.get()),
        proxy().orElse(null),
        session.map(Filled::value).orElse(null),
        streamHeaders);
  }

  /** The URL of a proxy, or {@code false} or "none" to connect directly. */
  private Optional<Sensitive> proxy() {
    if (entry.isFalse("proxy")) {
      return Optional.of(Sensitive.of(OutboundProxy.NONE));
    }
    Optional<Filled> written = entry.text("proxy");
    written.ifPresent(
        text -> view.put("proxy", EntryMasking.url(OutboundProxy.withScheme(text.shown()))));
    written
        .filter(text -> !text.open())
        .ifPresent(
            text -> {
              try {
                OutboundProxy.check(text.value());
              } catch (IllegalArgumentException e) {
                entry.wrong(
                    entry.line("proxy"),
                    "\"proxy\" is not the URL of a proxy that mcpbus can use",
                    String.valueOf(e.getMessage()));
              }
            });
    return written.map(Filled::value);
  }

  private @Nullable TransportOptions sse(ServerSettings settings, ParseLimits limits) {
    HttpOptions http = http(settings, limits);
    return http == null ? null : new SseOptions(http);
  }

  private @Nullable TransportOptions socket(ServerSettings settings, ParseLimits limits) {
    Optional<Filled> url = url();
    Optional<URI> uri = url.flatMap(text -> urls().socket(text));
    if (url.isEmpty() || uri.isEmpty()) {
      return null;
    }
    view.put("url", EntryMasking.url(url.get().shown()));
    return new SocketOptions(uri.get(), settings.connectTimeout(), limits, tls(uri.get()));
  }

  private @Nullable TlsOptions tls(URI url) {
    return new TlsReader(entry, view).read(url).orElse(null);
  }

  /** Read once, so that a mistake in it is reported once. */
  private Optional<Filled> url() {
    if (!urlRead) {
      urlRead = true;
      ConfigEntry filling =
          entry.with(new EntryVariables(plainEnv(), EntryVariables.EntryUse.FIRST));
      List<Filled> several = filling.texts("urls").orElse(List.of());
      several.forEach(text -> shownUrls.add(EntryMasking.url(text.shown())));
      ConfigNode list = entry.node().get("urls");
      if (list != null && list.is(ConfigNode.ValueType.ARRAY) && several.isEmpty()) {
        entry.wrong(entry.line("urls"), "\"urls\" names no URL", "Name one for each instance");
      } else if (several.size() > ServerOrigin.MAX_REPLICAS) {
        entry.wrong(
            entry.line("urls"),
            "\"urls\" has " + several.size() + " URLs, the limit is " + ServerOrigin.MAX_REPLICAS,
            "Leave some out");
      }
      further = several.stream().skip(1).toList();
      url = several.isEmpty() ? filling.text("url") : Optional.of(several.get(0));
    }
    return url;
  }

  private ServerUrlReader urls() {
    return new ServerUrlReader(entry);
  }

  private @Nullable TransportOptions bus() {
    Optional<Filled> address = entry.text("address");
    if (address.isEmpty() || !filled("address", address.get(), "Name the server's address")) {
      return null;
    }
    if (Addresses.isOwn(address.get().value().reveal())) {
      entry.wrong(
          entry.line("address"),
          "\"address\" "
              + MessageTexts.quote(address.get().shown())
              + " is one at which mcpbus itself receives, and no server",
          "Name the address at which the program of the server listens, such as my.tools");
      return null;
    }
    view.put("address", address.get().shown());
    return new BusOptions(address.get().value());
  }

  private void sessionId(Filled id) {
    int length = id.value().reveal().length();
    if (length == 0 || length > 4_096 || id.value().anyMatch(c -> c < 0x21 || c > 0x7E)) {
      entry.wrong(
          entry.line("sessionId"),
          "\"sessionId\" is not 1 to 4096 visible ASCII characters",
          "Give the Mcp-Session-Id that the server has sent, or remove it");
    }
  }

  private void header(String key, String name, Filled value) {
    int line = entry.line(key);
    if (!HEADER_NAME.matcher(name).matches()) {
      entry.wrong(
          line,
          MessageTexts.quote(name) + " is not the name of a header",
          "Use letters and hyphens");
    } else if (value.value().anyMatch(c -> (c < 0x20 && c != '\t') || c == 0x7F)) {
      entry.wrong(
          line,
          "the header " + MessageTexts.quote(name) + " has a line break or control character",
          "Remove it; a variable's value may end with one");
    }
  }

  private boolean filled(String key, Filled text, String remedy) {
    if (text.value().isBlank()) {
      entry.wrong(entry.line(key), "\"" + key + "\" is empty", remedy);
      return false;
    }
    return noNul(key, text);
  }

  private boolean noNul(String key, Filled text) {
    if (text.value().anyMatch(c -> c == 0)) {
      entry.wrong(
          entry.line(key), MessageTexts.quote(key) + " contains a NUL character", "Remove it");
      return false;
    }
    return true;
  }

  /** The resolved path; the path as written if a variable's value is part of it. */
  private String shown(String key, Path path) {
    return entry
        .text(key)
        .map(Filled::shown)
        .filter(text -> text.contains(Sensitive.MASK))
        .orElse(path.toString());
  }

  private static JsonObject hidden(Set<String> names) {
    JsonObject out = new JsonObject();
    names.forEach(name -> out.put(name, Sensitive.MASK));
    return out;
  }
}
