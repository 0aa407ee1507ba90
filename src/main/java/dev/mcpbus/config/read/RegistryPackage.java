package dev.mcpbus.config.read;

import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * One of {@code packages[]} of a registry's {@code server.json}, turned into the command that runs
 * it.
 */
final class RegistryPackage {

  /** Names of the registry that an image without one comes from. */
  private static final List<String> USUAL =
      List.of("docker.io", "hub.docker.com", "index.docker.io", "registry-1.docker.io");

  /** Flags of docker and podman that have no value, and are often written with "true". */
  private static final Set<String> SWITCHES =
      ConfigKeys.words(
          "-i --interactive -t --tty -d --detach --rm --init --privileged --read-only -P "
              + "--publish-all -q --quiet --no-healthcheck --oom-kill-disable --sig-proxy");

  private static final Pattern INTERACTIVE =
      Pattern.compile("--interactive(=.*)?|-[tdPq]{0,4}i[itdPq]{0,4}(=.*)?");

  private static final Pattern HOST = Pattern.compile("(?:https?://)?([\\w.:-]{1,255})/?.*");

  /**
   * A word of the command.
   *
   * @param free whether it may name the package: it is no value of a flag
   */
  private record CommandWord(String text, boolean free) {}

  private final ConfigNode node;
  private final RegistryInput inputs;
  private final Map<String, String> env = new LinkedHashMap<>();

  RegistryPackage(ConfigNode node, RegistryInput inputs) {
    this.node = node;
    this.inputs = inputs;
  }

  /** Why the package cannot be run here, with the remedy; empty if it can. */
  Optional<List<String>> obstacle() {
    String transport =
        Optional.ofNullable(RegistryInput.get(node, "transport"))
            .flatMap(known -> RegistryInput.text(known, "type"))
            .orElse("stdio");
    if (!transport.equals("stdio")) {
      return because(
          "a package that serves " + MessageTexts.quote(transport) + " by itself is not started",
          "Start it, and name its \"url\" under \"mcpServers\"");
    }
    String type = type();
    if (!List.of("npm", "pypi", "oci", "nuget").contains(type)) {
      return because(
          "a package of type " + MessageTexts.quote(type) + " cannot be run",
          "Known are npm, pypi, oci and nuget; install it, and name its \"command\" under"
              + " \"mcpServers\"");
    }
    String identifier = identifier();
    if (identifier.isBlank() || identifier.startsWith("-")) {
      return because("a package has no usable \"identifier\"", "Name the package");
    }
    return Optional.empty();
  }

  /** The host of an image's registry; empty for the usual one. */
  private String host() {
    Matcher host = HOST.matcher(RegistryInput.text(node, "registryBaseUrl").orElse(""));
    return !host.matches() || USUAL.contains(host.group(1)) ? "" : host.group(1);
  }

  private static Optional<List<String>> because(String reason, String remedy) {
    return Optional.of(List.of(reason, remedy));
  }

  private String type() {
    String type =
        RegistryInput.text(node, "registryType")
            .or(() -> RegistryInput.text(node, "registryName"))
            .orElse("");
    return type.equals("docker") ? "oci" : type;
  }

  private String identifier() {
    return RegistryInput.text(node, "identifier")
        .or(() -> RegistryInput.text(node, "name"))
        .orElse("");
  }

  /**
   * The entry {@code {command, args, env}}; missing values are reported. Where the arguments name
   * the package themselves, it stands there, in the version of the file, and not once more.
   */
  ConfigNode entry() {
    for (ConfigNode variable : RegistryInput.list(node, "environmentVariables")) {
      String name = RegistryInput.text(variable, "name").orElse("");
      inputs.variable(variable, name).ifPresent(value -> env.put(name, value));
    }
    String[] hint = RegistryInput.text(node, "runtimeHint").orElse("").strip().split("\\s+");
    String program = hint[0].isEmpty() ? usual() : hint[0];
    List<CommandWord> runtime = new ArrayList<>();
    Stream.of(hint).skip(1).forEach(word -> runtime.add(new CommandWord(word, false)));
    runtime.addAll(arguments("runtimeArguments"));
    List<CommandWord> own = new ArrayList<>(arguments("packageArguments"));
    if (place(runtime) < 0 && place(own) >= 0 && spells(program, own.get(0).text())) {
      runtime.addAll(own);
      own.clear();
    }
    if (!runtime.isEmpty() && runtime.get(0).text().equals(program)) {
      runtime.remove(0);
    }
    int place = place(runtime);
    List<String> before = texts(place < 0 ? runtime : runtime.subList(0, place));
    List<String> after = new ArrayList<>();
    if (place >= 0) {
      after.addAll(texts(runtime.subList(place + 1, runtime.size())));
    }
    after.addAll(texts(own));
    List<String> command =
        switch (type()) {
          case "npm" -> npm(program, before);
          case "pypi" -> pypi(program, before);
          case "oci" -> oci(program, before);
          default -> nuget(program, before, !after.isEmpty());
        };
    List<String> args = concat(command.subList(1, command.size()), after);
    int line = node.line();
    return ConfigNode.object(
        line,
        List.of(
            new ConfigMember("command", line, text(command.get(0))),
            new ConfigMember(
                "args", line, ConfigNode.array(line, args.stream().map(this::text).toList())),
            new ConfigMember(
                "env",
                line,
                ConfigNode.object(
                    line,
                    env.entrySet().stream()
                        .map(one -> new ConfigMember(one.getKey(), line, text(one.getValue())))
                        .toList()))));
  }

  private String usual() {
    return switch (type()) {
      case "npm" -> "npx";
      case "pypi" -> "uvx";
      case "oci" -> "docker";
      default -> "dnx";
    };
  }

  /** Whether arguments that begin so are a whole command, and none of the package's own. */
  private static boolean spells(String program, String first) {
    return first.equals(program) || List.of("run", "container", "-y", "--yes").contains(first);
  }

  private static List<String> texts(List<CommandWord> words) {
    return words.stream().map(CommandWord::text).toList();
  }

  private ConfigNode text(String value) {
    return ConfigNode.text(node.line(), value);
  }

  /** Where the words name the package, in whatever version; -1 if nowhere. */
  private int place(List<CommandWord> words) {
    String wanted = bare(identifier());
    for (int i = 0; i < words.size(); i++) {
      if (words.get(i).free() && bare(words.get(i).text()).equals(wanted)) {
        return i;
      }
    }
    return -1;
  }

  /** A package without its version; an image without the name of the usual registry. */
  private String bare(String name) {
    int end = name.indexOf('@', 1);
    String plain = end < 0 ? name : name.substring(0, end);
    if (type().equals("oci")) {
      int tag = plain.lastIndexOf(':');
      plain = tag > plain.lastIndexOf('/') ? plain.substring(0, tag) : plain;
      return plain.replaceFirst("^docker\\.io/", "");
    }
    return plain.replaceFirst("==.*", "");
  }

  private List<String> npm(String runtime, List<String> args) {
    if (runtime.equals("node")) {
      return npm("npx", args);
    }
    List<String> first =
        switch (runtime) {
          case "npx" ->
              args.contains("-y") || args.contains("--yes") ? args : concat(args, List.of("-y"));
          case "bun" -> led("x", args);
          case "pnpm", "yarn" -> led("dlx", args);
          case "npm" -> led("exec", concat(args, List.of("--yes", "--")));
          default -> args;
        };
    return command(runtime, first, versioned("@"));
  }

  private List<String> pypi(String runtime, List<String> args) {
    return switch (runtime) {
      case "pipx" -> command(runtime, led("run", args), versioned("=="));
      case "uv" -> command(runtime, args.isEmpty() ? List.of("tool", "run") : args, versioned("@"));
      case "python", "python3" ->
          command(
              runtime,
              args.contains("-m") ? args : concat(args, List.of("-m")),
              identifier().replace('-', '_'));
      default -> {
        boolean from = !args.isEmpty() && args.get(args.size() - 1).equals("--from");
        yield command(runtime, args, versioned(from ? "==" : "@"));
      }
    };
  }

  /** The arguments behind a word with which they begin, once. */
  private static List<String> led(String word, List<String> args) {
    return !args.isEmpty() && args.get(0).equals(word) ? args : concat(List.of(word), args);
  }

  /**
   * A container that mcpbus can speak to and that ends with it; variables of the server are passed
   * by name, so no value stands in the command.
   */
  private List<String> oci(String runtime, List<String> args) {
    List<String> first = new ArrayList<>();
    List<String> rest = args;
    boolean spelled = args.contains("run") && args.indexOf("run") < 2;
    if (spelled) {
      first.addAll(args.subList(0, args.indexOf("run") + 1));
      rest = args.subList(first.size(), args.size());
    } else {
      first.add("run");
    }
    if (rest.stream().noneMatch(arg -> INTERACTIVE.matcher(arg).matches())) {
      first.add("-i");
    }
    if (!spelled && rest.stream().noneMatch(arg -> arg.equals("--rm") || arg.startsWith("--rm="))) {
      first.add("--rm");
    }
    first.addAll(rest);
    for (String name : env.keySet()) {
      if (args.stream().noneMatch(arg -> sets(arg, name))) {
        first.add("-e");
        first.add(name);
      }
    }
    String image = identifier();
    String start = image.substring(0, Math.max(0, image.indexOf('/')));
    boolean named = start.contains(".") || start.contains(":") || start.equals("localhost");
    String version = RegistryInput.text(node, "version").orElse("");
    boolean tagged = image.indexOf('@') > 0 || image.lastIndexOf(':') > image.lastIndexOf('/');
    String whole = host().isEmpty() || named ? image : host() + "/" + image;
    return command(runtime, first, tagged || version.isBlank() ? whole : whole + ":" + version);
  }

  /** {@code NAME}, {@code NAME=value}, or one of these behind {@code -e} or {@code --env=}. */
  private static boolean sets(String arg, String name) {
    String plain =
        arg.startsWith("--env=") ? arg.substring(6) : arg.startsWith("-e") ? arg.substring(2) : arg;
    return plain.equals(name) || plain.startsWith(name + "=");
  }

  private List<String> nuget(String runtime, List<String> args, boolean hasOwn) {
    List<String> first =
        runtime.equals("dotnet") && args.isEmpty() ? List.of("tool", "exec") : args;
    List<String> all = new ArrayList<>(command(runtime, first, versioned("@")));
    if (!args.contains("--yes") && !args.contains("-y")) {
      all.add("--yes");
    }
    if (hasOwn) {
      all.add("--");
    }
    return all;
  }

  private static List<String> command(String runtime, List<String> first, String last) {
    return concat(concat(List.of(runtime), first), List.of(last));
  }

  private static List<String> concat(List<String> a, List<String> b) {
    return Stream.concat(a.stream(), b.stream()).toList();
  }

  private String versioned(String separator) {
    String identifier = identifier();
    String version = RegistryInput.text(node, "version").orElse("");
    return version.isBlank() || identifier.indexOf('@', 1) > 0 || identifier.contains("==")
        ? identifier
        : identifier + separator + version;
  }

  private List<CommandWord> arguments(String key) {
    List<CommandWord> words = new ArrayList<>();
    for (ConfigNode argument : RegistryInput.list(node, key)) {
      String flag = RegistryInput.text(argument, "name").orElse("");
      boolean named =
          RegistryInput.text(argument, "type")
              .orElse(flag.isEmpty() ? "" : "named")
              .equals("named");
      String name =
          named ? flag : RegistryInput.text(argument, "valueHint").orElse("positional argument");
      Optional<String> value = inputs.value(argument, name);
      if (named && value.isPresent() && isSwitch(argument, flag, value.get())) {
        boolean docker =
            type().equals("oci") && (key.equals("runtimeArguments") || SWITCHES.contains(flag));
        if (value.get().equals("true")) {
          words.add(new CommandWord(flag, false));
        } else if (docker) {
          words.add(new CommandWord(flag + "=false", false)); // other programs take no value there
        }
        continue;
      }
      if (named && (value.isPresent() || hasNoValue(argument))) {
        words.add(new CommandWord(flag, false));
      }
      value
          .filter(text -> !named || !text.isEmpty())
          .ifPresent(text -> words.add(new CommandWord(text, !named || flag.equals("--from"))));
    }
    return words;
  }

  /** Whether a value only says that a flag is set or not. */
  private boolean isSwitch(ConfigNode argument, String flag, String value) {
    boolean format = RegistryInput.text(argument, "format").filter("boolean"::equals).isPresent();
    return (value.equals("true") || value.equals("false"))
        && (format || (type().equals("oci") && SWITCHES.contains(flag)));
  }

  /** True for an argument that can have no value: it is a flag. */
  private static boolean hasNoValue(ConfigNode argument) {
    return Stream.of("value", "default", "valueHint", "format", "choices", "isRequired")
        .allMatch(key -> RegistryInput.get(argument, key) == null);
  }
}
