package dev.mcpbus.cli;

import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigReport;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.read.ConfigReader;
import dev.mcpbus.security.AdminTokenFile;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the mcpbus of a command and the key for it. The URL: {@code --url}, else {@code
 * MCPBUS_URL}, else the port of the configuration on this machine. The key: {@code --key-file},
 * else {@code MCPBUS_KEY}, else the person's sign-in at this very origin ({@link KeptSignIn}), else
 * on loopback the admin token file: who has signed in acts as himself. A key is never an argument:
 * other users could see it in the list of processes. The key in the variable goes to the URL in its
 * variable, to one that the command line names where that is not set, and to the mcpbus of a
 * configuration on this machine that the user has named or agreed to. Blocks; for the main thread.
 */
public final class ServiceFinder {

  public static final String URL_VARIABLE = "MCPBUS_URL";
  public static final String KEY_VARIABLE = "MCPBUS_KEY";

  private static final int PROBE_MILLIS = 1_000;
  private static final int MAX_KEY_BYTES = 16 * 1024;
  private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "[::1]", "::1");
  private static final Set<String> ALL_INTERFACES = Set.of("0.0.0.0", "::", "[::]");

  private final CommandContext context;
  private final ServiceOptions options;
  private final boolean endpoint;
  private @Nullable ConfigResult result;

  public ServiceFinder(CommandContext context, ServiceOptions options) {
    this(context, options, false);
  }

  /**
   * @param endpoint whether the URL may be that of an MCP endpoint, with its path
   */
  public ServiceFinder(CommandContext context, ServiceOptions options, boolean endpoint) {
    this.context = context;
    this.options = options;
    this.endpoint = endpoint;
  }

  /**
   * Finds the service; the caller closes it.
   *
   * @param start whether to start one in this process where none runs on this machine
   * @throws CommandFailure {@link ExitCode#UNREACHABLE} where there is none
   */
  public ServiceClient find(boolean start) {
    URI given = given();
    if (given != null) {
      String variable = variable(URL_VARIABLE);
      boolean other = !variable.isEmpty() && !origin(checked(variable)).equals(origin(given));
      return client(given, other ? KEY_VARIABLE + " is for " + URL_VARIABLE : "");
    }
    URI url = ofConfiguration();
    if (listens(url)) {
      ServiceClient running = client(url, whyNoKey());
      return start && runsAnotherFile(running) ? own() : running;
    }
    return start ? own() : none(url);
  }

  /** The origin of the service, without a key, and whether it runs or not: to sign in and out. */
  ServiceClient withoutKey() {
    URI given = given();
    return new ServiceClient(
        URI.create(origin(given == null ? ofConfiguration() : given)), null, null);
  }

  /** What the user names; null for the mcpbus on this machine. */
  private @Nullable URI given() {
    String url = options.url == null ? variable(URL_VARIABLE) : options.url.strip();
    return url.isEmpty() ? null : checked(url);
  }

  private String variable(String name) {
    return context.variables().getOrDefault(name, "").strip();
  }

  /** Whether the mcpbus at this port has another configuration than {@code --config}. */
  private boolean runsAnotherFile(ServiceClient running) {
    Path wanted = options.config;
    if (wanted == null) {
      return false;
    }
    String file;
    try {
      file = ContentText.text(running.get("/api/config"), "file");
    } catch (CommandFailure unknown) {
      return false; // without the admin right, or no mcpbus: the command itself says it
    }
    if (file.isEmpty() || file.equals(wanted.toAbsolutePath().normalize().toString())) {
      return false;
    }
    new CommandOutput(context)
        .note(
            "The mcpbus at "
                + running.url()
                + " runs "
                + file
                + "; this command runs "
                + wanted
                + " for itself.");
    return true;
  }

  private static ServiceClient none(URI url) {
    throw new CommandFailure(
        ExitCode.UNREACHABLE,
        "NOT_RUNNING",
        "no mcpbus runs at " + url + "; start it with \"mcpbus run\", or name one with --url URL");
  }

  /** Starts the servers of the configuration inside this process. */
  private ServiceClient own() {
    ConfigResult read = configuration();
    McpBusConfig config = read.config();
    if (config == null) {
      throw new CommandFailure(
          ExitCode.UNEXPECTED,
          "BAD_CONFIGURATION",
          ConfigReport.render(read.problems()).stripTrailing());
    }
    FileConsent.require(context, options.config, read, config, true);
    LocalService own = context.launcher().start(ConfigFile.find(options.config), read, config);
    return new ServiceClient(own.url(), own.token(), own);
  }

  private ConfigResult configuration() {
    ConfigResult read = result;
    if (read == null) {
      Path file = ConfigFile.find(options.config);
      read = ConfigReader.read(file, ConfigEnvironment.system().withVariables(context.variables()));
      result = read;
    }
    return read;
  }

  /** The address on this machine; without a file the default port. */
  private URI ofConfiguration() {
    if (options.config == null && !Files.isReadable(ConfigFile.DEFAULT)) {
      return URI.create("http://127.0.0.1:8790");
    }
    McpBusConfig config = configuration().config();
    if (config == null || config.port() == 0) {
      return URI.create("http://127.0.0.1:8790");
    }
    String host = ALL_INTERFACES.contains(config.host()) ? "127.0.0.1" : config.host();
    if (!isHere(host)) {
      throw CommandFailure.usage(
          ConfigFile.find(options.config)
              + " names the host "
              + host
              + ", which is no address of this machine; name the mcpbus with --url");
    }
    return URI.create(
        config.scheme()
            + "://"
            + (host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host)
            + ":"
            + config.port());
  }

  private URI checked(String text) {
    try {
      URI url = new URI(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
      boolean http = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
      boolean good = http && url.getHost() != null && url.getUserInfo() == null;
      if (good && url.getQuery() == null && url.getFragment() == null) {
        if (endpoint || url.getPath().isEmpty()) {
          return url;
        }
        throw CommandFailure.usage(
            "the URL of mcpbus has no path; use " + origin(url) + ", without " + url.getRawPath());
      }
    } catch (URISyntaxException e) {
      // Falls through: the same error.
    }
    throw CommandFailure.usage(
        "the URL of mcpbus must be http://HOST:PORT or https://HOST:PORT, without a user, a query or"
            + " a fragment");
  }

  private static boolean listens(URI url) {
    try (Socket probe = new Socket()) {
      String host = url.getHost().replaceAll("[\\[\\]]", "");
      probe.connect(new InetSocketAddress(host, url.getPort()), PROBE_MILLIS);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Why the key in the variable is not for the mcpbus of the configuration; empty where it is.
   * Another person's file could name the port of a program that collects keys.
   */
  private String whyNoKey() {
    return options.config != null
            || !Files.isReadable(ConfigFile.DEFAULT)
            || FileConsent.of(context.home()).covers(ConfigFile.DEFAULT, configuration())
        ? ""
        : ConfigFile.DEFAULT + " was only found in this directory";
  }

  private static boolean isHere(String host) {
    if (LOOPBACK.contains(host)) {
      return true;
    }
    String literal = host.replaceAll("[\\[\\]]", "");
    try {
      return literal.matches(literal.indexOf(':') < 0 ? "[0-9.]+" : "[0-9a-fA-F:.]+") // no name
          && NetworkInterface.getByInetAddress(InetAddress.getByName(literal)) != null;
    } catch (IOException none) {
      return false;
    }
  }

  /** Scheme, host and port in one form, without a default port: so mcpbus calls itself, too. */
  static String origin(URI url) {
    int port = port(url);
    return url.getScheme()
        + "://"
        + url.getHost().toLowerCase(Locale.ROOT)
        + (port == standardPort(url) ? "" : ":" + port);
  }

  private static int port(URI url) {
    return url.getPort() >= 0 ? url.getPort() : standardPort(url);
  }

  private static int standardPort(URI url) {
    return "https".equals(url.getScheme()) ? 443 : 80;
  }

  /**
   * @param whyNot why the key in the variable was not given for this URL; empty if it was
   */
  private ServiceClient client(URI url, String whyNot) {
    KeptSignIn signIn = new KeptSignIn(context.home(), url, InstantSource.system());
    String before = signIn.isThere() ? "; it comes before your login" : "";
    if (options.keyFile != null) {
      String key = firstLine(options.keyFile);
      String refused = "the key of --key-file " + options.keyFile + " is not good here" + before;
      return ServiceClient.withKey(url, key, refused);
    }
    String variable = variable(KEY_VARIABLE);
    if (!variable.isEmpty() && whyNot.isEmpty()) {
      String refused = "the key of " + KEY_VARIABLE + " is not good here" + before;
      return ServiceClient.withKey(url, variable, refused);
    }
    if (!variable.isEmpty()) {
      new CommandOutput(context)
          .note(whyNot + ", so its key does not go to " + url + "; give one with --key-file.");
    }
    return signIn.isThere() ? new ServiceClient(url, signIn) : withAdminKey(url);
  }

  private ServiceClient withAdminKey(URI url) {
    ServiceClient without = new ServiceClient(url, null, null);
    if (!LOOPBACK.contains(url.getHost())) {
      return without;
    }
    AdminTokenFile file = AdminTokenFile.of(port(url), context.variables());
    String refused =
        "the admin key in "
            + file.path()
            + " is not good here; give one with --key-file or "
            + KEY_VARIABLE
            + ", or log in with \"mcpbus login --url "
            + origin(url)
            + "\"";
    try {
      return file.read().map(key -> ServiceClient.withKey(url, key, refused)).orElse(without);
    } catch (IOException unreadable) {
      return without; // another user's, or a link: the answer says what is missing
    }
  }

  private static String firstLine(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      String text = new String(in.readNBytes(MAX_KEY_BYTES), StandardCharsets.UTF_8).strip();
      if (!text.isEmpty() && text.chars().allMatch(c -> c > 0x20 && c < 0x7F)) {
        return text;
      }
    } catch (IOException e) {
      throw CommandFailure.usage("--key-file " + file + " cannot be read");
    }
    throw CommandFailure.usage(
        "--key-file " + file + " must hold the key alone, on one line of ASCII");
  }
}
