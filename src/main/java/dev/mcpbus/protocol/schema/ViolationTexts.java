package dev.mcpbus.protocol.schema;

import dev.mcpbus.protocol.schema.ArgumentValidator.Violation;
import io.vertx.json.schema.OutputUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Finds the error that explains a violation among all that a validator reports, and says it in
 * words for a person. A validator reports each error again at every place that contains it, and a
 * wrong member of a closed object as an unknown one, too. Pure.
 */
public final class ViolationTexts {

  private static final int MAX_TEXT = 300;
  private static final int MAX_FORMS = 4;

  /** So many errors of one kind are looked at; a longer one is cut before it is read. */
  private static final int MAX_READ = 200;

  private static final int MAX_LENGTH = 1_000;

  /** Keywords whose errors repeat that something inside is wrong. */
  private static final Pattern CONTAINER =
      Pattern.compile(
          ".*/(properties|additionalProperties|patternProperties|unevaluatedProperties|items"
              + "|prefixItems|additionalItems|allOf|dependentSchemas|dependencies|\\$ref|then|else)");

  private static final Pattern ALTERNATIVES = Pattern.compile(".*/(anyOf|oneOf)");

  private static final Pattern BOUND = Pattern.compile("\\((?: \\+ )?(\\d+) [<>] (\\d+)\\)\\.?");

  private static final Map<Pattern, String> WORDS = words();

  private ViolationTexts() {}

  private static Map<Pattern, String> words() {
    Map<Pattern, String> words = new LinkedHashMap<>();
    words.put(
        Pattern.compile("Instance does not have required property (\".*\")"), "$1 is missing");
    words.put(
        Pattern.compile("Instance type (.*) is invalid\\. Expected (.*)"), "must be $2, not $1");
    words.put(Pattern.compile("Instance does not match any of (\\[.*)"), "must be one of $1");
    words.put(
        Pattern.compile("Property (\".*\") does not match (additional|unevaluated).*"),
        "$1 is no member that the schema knows");
    words.put(Pattern.compile("String does not match format (\".*\")"), "is not of the format $1");
    words.put(
        Pattern.compile("String does not match pattern.*"), "does not match the schema's pattern");
    words.put(Pattern.compile("Duplicate items at (.*)"), "has the same item twice, at $1");
    words.put(Pattern.compile("Instance matched \"not\" schema"), "has a form that is excluded");
    words.put(Pattern.compile("Instance does not match ([^ ]+)"), "must be $1");
    return words;
  }

  static Violation of(OutputUnit result) {
    List<OutputUnit> errors = result.getErrors();
    if (errors == null || errors.isEmpty()) {
      return new Violation("/", "does not fit the schema");
    }
    int deepest = errors.stream().mapToInt(error -> at(error).length()).max().orElse(0);
    List<OutputUnit> there =
        errors.stream().filter(error -> at(error).length() == deepest).toList();
    OutputUnit first = first(there);
    String path = at(first).replaceFirst("^#", "");
    String text = text(first, there) + missing(first, errors);
    return new Violation(path.isEmpty() ? "/" : path, cut(text));
  }

  private static OutputUnit first(List<OutputUnit> there) {
    return there.stream()
        .filter(error -> !CONTAINER.matcher(keyword(error)).matches())
        .findFirst()
        .orElse(there.get(there.size() - 1));
  }

  private static String text(OutputUnit error, List<OutputUnit> there) {
    if (!ALTERNATIVES.matcher(keyword(error)).matches()) {
      return inOurWords(String.valueOf(error.getError()));
    }
    String forms =
        there.stream()
            .filter(other -> keyword(other).startsWith(keyword(error) + "/"))
            .limit(MAX_READ)
            .map(other -> inOurWords(String.valueOf(other.getError())))
            .distinct()
            .limit(MAX_FORMS)
            .collect(Collectors.joining(", or "));
    return forms.isEmpty() ? "fits none, or several, of the forms that are allowed" : forms;
  }

  /** For a misspelt name the missing member shows which one was meant. */
  private static String missing(OutputUnit shown, List<OutputUnit> errors) {
    return errors.stream()
        .filter(error -> error != shown && keyword(error).endsWith("/required"))
        .limit(MAX_READ)
        .map(error -> inOurWords(String.valueOf(error.getError())))
        .distinct()
        .filter(text -> !text.equals(inOurWords(String.valueOf(shown.getError()))))
        .map(text -> "; " + text)
        .collect(Collectors.joining());
  }

  private static String inOurWords(String whole) {
    String text = whole.length() > MAX_LENGTH ? whole.substring(0, MAX_LENGTH) : whole;
    int open = text.lastIndexOf(" (");
    Matcher bound = BOUND.matcher(text.substring(open + 1));
    if (open >= 0 && bound.matches()) {
      String what = text.substring(0, open).replaceFirst("^(Array|String|Instance) ", "");
      return what + ": " + bound.group(1) + " in place of " + bound.group(2);
    }
    for (Map.Entry<Pattern, String> words : WORDS.entrySet()) {
      Matcher matcher = words.getKey().matcher(text);
      if (matcher.matches()) {
        return matcher.replaceFirst(words.getValue());
      }
    }
    return text.replaceFirst("^Instance ", "the value ");
  }

  private static String at(OutputUnit error) {
    return String.valueOf(error.getInstanceLocation());
  }

  private static String keyword(OutputUnit error) {
    return String.valueOf(error.getKeywordLocation());
  }

  private static String cut(String text) {
    return text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT) + "..." : text;
  }
}
