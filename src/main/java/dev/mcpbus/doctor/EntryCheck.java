package dev.mcpbus.doctor;

import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerOrigin;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The steps {@code entry} and {@code environment}: what the configuration says about one server. It
 * reads the entry as written, so it sees the names of variables and no value of one. Pure.
 */
public final class EntryCheck {

  /** The texts of {@code config.Substitution} and {@code config.EnvFile}. */
  private static final Pattern OF_ENVIRONMENT =
      Pattern.compile("^the (?:variable|input) .*|^envFile .*");

  private static final Pattern VARIABLE =
      Pattern.compile("\\$\\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*+)(?::-[^}]*+)?+(\\}|\\z)");

  private static final Set<String> OWN =
      Set.of("userHome", "workspaceFolder", "workspaceFolderBasename", "pathSeparator");

  /** Texts of examples that a person was to replace. */
  private static final Pattern PLACEHOLDER =
      Pattern.compile(
          "(?i)<[^<>]{2,60}>|(?:your|my|insert|enter|replace)[-_ ].{0,60}"
              + "|change[-_ ]?me|to[-_ ]?do|placeholder|x{3,}|\\*{3,}|\\.{3,}"
              + "|(?:sk|pk|ghp|gho|xox[abp]|api)[-_](?:x{3,}|\\.{3,}|your).{0,60}");

  private static final Pattern SCHEME = Pattern.compile("(?i)^(?:bearer|basic|token)\\s+");

  private EntryCheck() {}

  /** The steps of an entry that has problems: it cannot be tried. */
  public static List<DoctorStep> broken(List<ConfigProblem> problems) {
    List<ConfigProblem> environment =
        problems.stream().filter(each -> OF_ENVIRONMENT.matcher(each.message()).find()).toList();
    if (environment.size() < problems.size()) {
      List<ConfigProblem> others = new ArrayList<>(problems);
      others.removeAll(environment);
      List<ConfigProblem> all = new ArrayList<>(others);
      all.addAll(environment);
      return List.of(failed("entry", DoctorCause.CONFIG_PROBLEM, all));
    }
    ConfigProblem first = environment.get(0);
    DoctorCause cause =
        first.message().startsWith("envFile")
            ? DoctorCause.ENV_FILE_UNUSABLE
            : DoctorCause.VARIABLE_UNSET;
    return List.of(
        DoctorStep.ok("entry", -1, place(first)), failed("environment", cause, environment));
  }

  private static DoctorStep failed(String step, DoctorCause cause, List<ConfigProblem> problems) {
    ConfigProblem first = problems.get(0);
    return DoctorStep.failed(
        step,
        -1,
        Finding.of(cause, place(first) + ": " + first.message(), first.remedy())
            .with(
                problems.stream()
                    .skip(1)
                    .map(each -> place(each) + ": " + each.message())
                    .toList()));
  }

  private static String place(ConfigProblem problem) {
    return problem.file() + (problem.line() > 0 ? ":" + problem.line() : "");
  }

  /** The steps of an entry that can be tried. */
  static List<DoctorStep> sound(ServerDefinition definition, Map<String, String> variables) {
    ServerOrigin origin = definition.origin();
    JsonObject entry = origin == null ? new JsonObject() : origin.entry();
    return List.of(DoctorStep.ok("entry", -1, definition.source()), environment(entry, variables));
  }

  private static DoctorStep environment(JsonObject entry, Map<String, String> variables) {
    Set<String> names = new TreeSet<>();
    Matcher found = VARIABLE.matcher(entry.encode());
    while (found.find() && !found.group(2).isEmpty()) {
      names.add(found.group(1));
    }
    names.removeAll(OWN);
    Finding wrong = placeholder(entry);
    if (wrong == null) {
      wrong = empty(names, variables);
    }
    String fact = fact(names, entry);
    return wrong == null
        ? DoctorStep.ok("environment", -1, fact)
        : DoctorStep.note("environment", -1, wrong.text(), wrong);
  }

  private static @Nullable Finding empty(Set<String> names, Map<String, String> variables) {
    return names.stream()
        .filter(name -> variables.containsKey(name) && variables.get(name).isBlank())
        .findFirst()
        .map(
            name ->
                Finding.of(
                    DoctorCause.VARIABLE_UNSET,
                    "The variable " + name + ", which the entry uses, is set and empty",
                    "Give it a value in the environment of mcpbus"))
        .orElse(null);
  }

  private static String fact(Set<String> names, JsonObject entry) {
    int own = entry.getValue("env") instanceof JsonObject env ? env.size() : 0;
    String set = own == 0 ? "" : own + (own == 1 ? " variable" : " variables") + " in \"env\"";
    if (names.isEmpty()) {
      return set.isEmpty() ? "needs no variable" : set;
    }
    return String.join(", ", names)
        + (names.size() == 1 ? " is set" : " are set")
        + (set.isEmpty() ? "" : "; " + set);
  }

  /** A value that is still that of an example; null if there is none. */
  static @Nullable Finding placeholder(JsonObject entry) {
    for (String key : List.of("env", "headers")) {
      if (entry.getValue(key) instanceof JsonObject values) {
        for (Map.Entry<String, Object> each : values) {
          if (isPlaceholder(each.getValue())) {
            return placeholder("\"" + each.getKey() + "\" in \"" + key + "\"");
          }
        }
      }
    }
    if (entry.getValue("args") instanceof JsonArray args) {
      for (Object arg : args) {
        String text = String.valueOf(arg);
        if (isPlaceholder(text.substring(text.indexOf('=') + 1))) {
          return placeholder("An argument in \"args\"");
        }
      }
    }
    return null;
  }

  private static Finding placeholder(String where) {
    return Finding.of(
        DoctorCause.PLACEHOLDER_VALUE,
        where + " is still the placeholder of an example",
        "Put the real value there, best by a variable: \"${NAME}\"");
  }

  private static boolean isPlaceholder(@Nullable Object value) {
    return value instanceof String text
        && PLACEHOLDER.matcher(SCHEME.matcher(text.strip()).replaceFirst("")).matches();
  }
}
