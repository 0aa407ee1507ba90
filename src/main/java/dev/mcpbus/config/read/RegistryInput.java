package dev.mcpbus.config.read;

import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.MessageTexts;
import dev.mcpbus.config.read.ConfigNode.ConfigMember;
import dev.mcpbus.config.read.ConfigNode.ValueType;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates inputs of a registry's {@code server.json}: a fixed value with {@code {variables}}, an
 * answer from the environment, or a default. An answer becomes a {@code ${...}} reference, so that
 * {@link Substitution} inserts it later and masks it.
 */
public record RegistryInput(
    ConfigEnvironment environment, ProblemCollector problems, String server) {

  private static final Pattern BRACES = Pattern.compile("\\{([^{}]+)}");
  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]*");

  /** An input that is not declared. */
  private static final List<ConfigMember> REQUIRED =
      ConfigNode.of(Map.of("isRequired", true, "isSecret", true)).members();

  /** Names that are certainly names of variables, unlike {@code path} or {@code user}. */
  private static final Pattern PLAIN = Pattern.compile("[A-Z][A-Z0-9_]*");

  /** A member by its present name, or by its name in the schemas before September 2025. */
  public static @Nullable ConfigNode get(ConfigNode node, String name) {
    ConfigNode found = node.get(name);
    String older = name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    ConfigNode value = found == null ? node.get(older) : found;
    return value == null || value.is(ValueType.NULL) ? null : value;
  }

  public static Optional<String> text(ConfigNode node, String name) {
    return Optional.ofNullable(get(node, name))
        .filter(value -> !value.is(ValueType.OBJECT) && !value.is(ValueType.ARRAY))
        .map(ConfigNode::text);
  }

  static List<ConfigNode> list(ConfigNode node, String name) {
    ConfigNode value = get(node, name);
    return value == null ? List.of() : value.items();
  }

  public static boolean flag(ConfigNode node, String name) {
    return text(node, name).filter("true"::equals).isPresent();
  }

  /**
   * The value of an environment variable of the server; the variable's own name is searched as
   * well.
   */
  Optional<String> variable(ConfigNode input, String name) {
    return value(input, name, true);
  }

  /**
   * The value of any other input.
   *
   * @param name the input's name in the file
   * @return empty if there is none; a missing required value is reported
   */
  Optional<String> value(ConfigNode input, String name) {
    return value(input, name, false);
  }

  private Optional<String> value(ConfigNode input, String name, boolean isVariable) {
    Optional<String> fixed = text(input, "value");
    if (fixed.isPresent()) {
      // An argument that says that it is optional is left out where its variables have no value.
      boolean optional = text(input, "isRequired").filter("false"::equals).isPresent();
      int before = problems.count();
      Optional<String> filled =
          (optional ? silent() : this)
              .template(fixed.get(), input, flag(input, "isSecret") || flag(input, "isRequired"));
      if (filled.isEmpty() && flag(input, "isRequired") && problems.count() == before) {
        missing(input, name, isVariable);
      }
      return filled;
    }
    Optional<String> answer = answer(input, name, isVariable);
    if (answer.isPresent()) {
      return answer;
    }
    Optional<String> standard = text(input, "default");
    if (standard.isEmpty() && flag(input, "isRequired")) {
      missing(input, name, isVariable);
    }
    return standard.filter(text -> fits(input, name, text));
  }

  private RegistryInput silent() {
    return new RegistryInput(environment, new ProblemCollector(problems.file()), server);
  }

  /**
   * Replaces {@code {name}} for every name in the {@code variables} of {@code of}; other braces
   * stay. Empty if one of the variables has no value.
   *
   * @param all whether a name that is not declared is one, too: publishers of servers with a key
   *     often declare none, and no server takes {@code Bearer {api_key}} as it is
   */
  Optional<String> template(String text, ConfigNode of, boolean all) {
    ConfigNode variables = get(of, "variables");
    StringBuilder out = new StringBuilder();
    Matcher braces = BRACES.matcher(text);
    boolean complete = true;
    while (braces.find()) {
      String name = braces.group(1);
      ConfigNode declared = variables == null ? null : variables.get(name);
      ConfigNode variable =
          declared == null && all && VARIABLE.matcher(name).matches()
              ? ConfigNode.object(of.line(), REQUIRED)
              : declared;
      String filled = braces.group();
      if (variable != null) {
        Optional<String> value = value(variable, name, false);
        complete &= value.isPresent();
        filled = value.orElse("");
      }
      braces.appendReplacement(out, Matcher.quoteReplacement(filled));
    }
    return complete ? Optional.of(braces.appendTail(out).toString()) : Optional.empty();
  }

  private Optional<String> answer(ConfigNode input, String name, boolean isVariable) {
    String id = id(name);
    Optional<String> given = environment.input(id).filter(text -> !text.isBlank());
    if (given.isPresent() && !fits(input, name, given.get())) {
      return Optional.empty();
    }
    if (given.isPresent()) {
      // Whether a flag is set must be known here, and is no secret.
      boolean flag = text(input, "format").filter("boolean"::equals).isPresent();
      return Optional.of(flag && !environment.isSealed() ? given.get() : "${input:" + id + "}");
    }
    if (!(isVariable ? VARIABLE : PLAIN).matcher(name).matches()) {
      return Optional.empty();
    }
    String value = environment.variable(name).orElse("");
    return !value.isBlank() && fits(input, name, value)
        ? Optional.of("${env:" + name + "}")
        : Optional.empty();
  }

  /** The input id of a name: {@code api-key} for {@code --api-key}. */
  public static String id(String name) {
    return name.replaceFirst("^-+", "").replaceAll("[^A-Za-z0-9_.-]", "-");
  }

  private void missing(ConfigNode input, String name, boolean isVariable) {
    String description =
        text(input, "description")
            .map(text -> " (" + MessageTexts.ascii(MessageTexts.cut(text)) + ")")
            .orElse("");
    String variable =
        (isVariable || PLAIN.matcher(name).matches()) && environment.readable().test(name)
            ? MessageTexts.ascii(MessageTexts.cut(name))
            : ConfigEnvironment.inputVariable(id(MessageTexts.cut(name)));
    problems.add(
        input.line(),
        server,
        "there is no value for " + MessageTexts.quote(name) + description,
        "Set the variable " + variable);
  }

  /**
   * Checks choices and format. Problems show the choices, never the value, which may be a secret.
   */
  private boolean fits(ConfigNode input, String name, String value) {
    if (environment.isSealed() && value.equals(ConfigEnvironment.VALUE_KEPT)) {
      return true; // nothing is said about a value that is kept: a choice could guess it
    }
    List<String> choices = list(input, "choices").stream().map(ConfigNode::text).toList();
    if (!choices.isEmpty() && !choices.contains(value)) {
      problems.add(
          input.line(),
          server,
          "the value of " + MessageTexts.quote(name) + " is not one of its choices",
          "Use one of " + MessageTexts.ascii(MessageTexts.cut(String.join(", ", choices))));
      return false;
    }
    String format = text(input, "format").orElse("string");
    boolean good =
        switch (format) {
          case "number" -> value.matches("[+-]?\\d+(\\.\\d+)?");
          case "boolean" -> value.equals("true") || value.equals("false");
          default -> true;
        };
    if (!good) {
      problems.add(
          input.line(),
          server,
          "the value of " + MessageTexts.quote(name) + " is not a " + format,
          format.equals("number") ? "Use decimal digits" : "Use true or false");
    }
    return good;
  }
}
