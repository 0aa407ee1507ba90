package dev.mcpbus.config;

import dev.mcpbus.config.ConfigNode.ConfigMember;
import dev.mcpbus.config.ConfigNode.ValueType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One of {@code packages[]} of a registry's {@code server.json}, turned into the command that runs
 * it.
 */
final class RegistryPackage {

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

  /** The entry {@code {command, args, env}}; missing values are reported. */
  ConfigNode entry() {
    for (ConfigNode variable : RegistryInput.list(node, "environmentVariables")) {
      String name = RegistryInput.text(variable, "name").orElse("");
      inputs.variable(variable, name).ifPresent(value -> env.put(name, value));
    }
    List<String> runtime = arguments("runtimeArguments");
    List<String> own = arguments("packageArguments");
    Optional<String> hint = RegistryInput.text(node, "runtimeHint").filter(text -> !text.isBlank());
    List<String> command =
        switch (type()) {
          case "npm" -> npm(hint.orElse("npx"), runtime);
          case "pypi" -> pypi(hint.orElse("uvx"), runtime);
          case "oci" -> oci(hint.orElse("docker"), runtime);
          default -> nuget(hint.orElse("dnx"), runtime, !own.isEmpty());
        };
    List<String> args = Stream.concat(command.stream().skip(1), own.stream()).toList();
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

  private ConfigNode text(String value) {
    return ConfigNode.scalar(ValueType.STRING, node.line(), value);
  }

  private List<String> npm(String runtime, List<String> args) {
    boolean asks = runtime.equals("npx") && !args.contains("-y") && !args.contains("--yes");
    return command(runtime, args, asks ? List.of("-y") : List.of(), versioned("@"));
  }

  private List<String> pypi(String runtime, List<String> args) {
    return switch (runtime) {
      case "pipx" -> command(runtime, List.of("run"), args, versioned("=="));
      case "python", "python3" ->
          command(runtime, args, List.of("-m"), identifier().replace('-', '_'));
      default -> command(runtime, args, List.of(), versioned("@"));
    };
  }

  /** Passes the server's variables to its container by name, so no value stands in a command. */
  private List<String> oci(String runtime, List<String> args) {
    List<String> names = new ArrayList<>();
    for (String name : env.keySet()) {
      if (args.stream().noneMatch(arg -> arg.equals(name) || arg.startsWith(name + "="))) {
        names.add("-e");
        names.add(name);
      }
    }
    List<String> first =
        !args.isEmpty() && args.get(0).equals("run")
            ? args
            : concat(List.of("run", "-i", "--rm"), args);
    String image = identifier();
    String version = RegistryInput.text(node, "version").orElse("");
    boolean tagged = image.indexOf('@') > 0 || image.lastIndexOf(':') > image.lastIndexOf('/');
    return command(
        runtime, first, names, tagged || version.isBlank() ? image : image + ":" + version);
  }

  private List<String> nuget(String runtime, List<String> args, boolean hasOwn) {
    List<String> all = new ArrayList<>(command(runtime, args, List.of(), versioned("@")));
    all.add("--yes");
    if (hasOwn) {
      all.add("--");
    }
    return all;
  }

  private static List<String> command(
      String runtime, List<String> first, List<String> then, String last) {
    return concat(concat(List.of(runtime), first), concat(then, List.of(last)));
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

  private List<String> arguments(String key) {
    List<String> args = new ArrayList<>();
    for (ConfigNode argument : RegistryInput.list(node, key)) {
      String flag = RegistryInput.text(argument, "name").orElse("");
      boolean named = RegistryInput.text(argument, "type").orElse("").equals("named");
      String name =
          named ? flag : RegistryInput.text(argument, "valueHint").orElse("positional argument");
      Optional<String> value = inputs.value(argument, name);
      if (named && (value.isPresent() || isSwitch(argument))) {
        args.add(flag);
      }
      value.filter(text -> !named || !text.isEmpty()).ifPresent(args::add);
    }
    return args;
  }

  /** True for an argument that can have no value: it is a flag. */
  private static boolean isSwitch(ConfigNode argument) {
    return Stream.of("value", "default", "valueHint", "format", "choices", "isRequired")
        .allMatch(key -> RegistryInput.get(argument, key) == null);
  }
}
