package dev.mcpbus.testing;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Reads a page of metrics as strictly as the two specifications say, and throws at the first thing
 * that they do not allow: a sample before its type, a series twice, a name or an escape that does
 * not exist, a counter without {@code _total}, a histogram whose buckets fall or end elsewhere than
 * at its count. Shares nothing with the library that writes the page.
 */
public final class PrometheusText {

  private static final String NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
  private static final Pattern TYPE =
      Pattern.compile(
          "# TYPE (" + NAME + ") (counter|gauge|histogram|summary|untyped|unknown|info)");
  private static final Pattern HELP =
      Pattern.compile("# HELP (" + NAME + ") ((?:[^\\\\]|\\\\[\\\\n\"])*)");
  private static final Pattern SAMPLE =
      Pattern.compile("(" + NAME + ")(?:\\{(.*)\\})? ([^ ]+)(?: [0-9.]+)?(?: # .*)?");
  private static final Pattern LABEL =
      Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\\\n]|\\\\[\\\\n\"])*)\"(,|$)");
  private static final Pattern VALUE =
      Pattern.compile("[+-]?(?:[0-9]+(?:\\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|Inf|NaN)");

  /** One line with a value. */
  public record Sample(String name, Map<String, String> labels, double value) {}

  private final Map<String, String> types = new LinkedHashMap<>();
  private final List<Sample> samples = new ArrayList<>();
  private final Set<String> series = new HashSet<>();
  private String family = "";
  private final boolean open;

  private PrometheusText(boolean open) {
    this.open = open;
  }

  /** A page of version 0.0.4. */
  public static PrometheusText classic(String page) {
    return new PrometheusText(false).read(page);
  }

  /** A page of OpenMetrics 1.0.0. */
  public static PrometheusText openMetrics(String page) {
    if (!page.endsWith("# EOF\n")) {
      throw new AssertionError("the page does not end with # EOF");
    }
    return new PrometheusText(true).read(page.substring(0, page.length() - "# EOF\n".length()));
  }

  private PrometheusText read(String page) {
    if (!page.endsWith("\n")) {
      throw new AssertionError("the last line does not end");
    }
    for (String line : page.split("\n", -1)) {
      if (!line.isEmpty()) {
        line(line);
      }
    }
    histograms();
    return this;
  }

  private void line(String line) {
    if (line.startsWith("# TYPE")) {
      Matcher type = match(TYPE, line);
      family = type.group(1);
      if (types.put(family, type.group(2)) != null) {
        throw new AssertionError("two types of " + family);
      }
    } else if (line.startsWith("# HELP")) {
      match(HELP, line);
    } else if (!line.startsWith("# UNIT")) {
      sample(match(SAMPLE, line));
    }
  }

  private static Matcher match(Pattern pattern, String line) {
    Matcher found = pattern.matcher(line);
    if (!found.matches()) {
      throw new AssertionError("not in the format: " + line);
    }
    return found;
  }

  private void sample(Matcher line) {
    Map<String, String> labels = new TreeMap<>();
    String text = line.group(2) == null ? "" : line.group(2);
    Matcher label = LABEL.matcher(text);
    int at = 0;
    while (at < text.length()) {
      if (!label.find(at) || label.start() != at) {
        throw new AssertionError("labels are not in the format: " + text);
      }
      if (labels.put(label.group(1), label.group(2)) != null) {
        throw new AssertionError("a label twice: " + text);
      }
      at = label.end();
    }
    match(VALUE, line.group(3));
    String name = line.group(1);
    if (!series.add(name + labels)) {
      throw new AssertionError("a series twice: " + name + labels);
    }
    belongs(name);
    String number = line.group(3).replace("Inf", "Infinity");
    samples.add(new Sample(name, labels, Double.parseDouble(number)));
  }

  /** The samples of a metric stand together, below its type. */
  private void belongs(String name) {
    String type = types.getOrDefault(family, "none");
    boolean fits =
        switch (type) {
          case "counter" ->
              open
                  ? name.equals(family + "_total") || name.equals(family + "_created")
                  : name.equals(family) && family.endsWith("_total");
          case "histogram" ->
              Set.of(family + "_bucket", family + "_count", family + "_sum", family + "_created")
                  .contains(name);
          case "summary" ->
              Set.of(family, family + "_count", family + "_sum", family + "_created")
                  .contains(name);
          case "info" -> name.equals(family + "_info");
          case "none" -> false;
          default -> name.equals(family);
        };
    if (!fits) {
      throw new AssertionError(name + " does not belong below # TYPE " + family + " " + type);
    }
  }

  private void histograms() {
    types.forEach(
        (name, type) -> {
          if (type.equals("histogram")) {
            histogram(name);
          }
        });
  }

  private void histogram(String name) {
    Map<Map<String, String>, List<Sample>> buckets = new LinkedHashMap<>();
    for (Sample sample : all(name + "_bucket")) {
      Map<String, String> rest = new TreeMap<>(sample.labels());
      if (rest.remove("le") == null) {
        throw new AssertionError("a bucket without a bound: " + sample);
      }
      buckets.computeIfAbsent(rest, first -> new ArrayList<>()).add(sample);
    }
    buckets.forEach(
        (labels, of) -> {
          double before = 0;
          for (Sample bucket : of) {
            if (bucket.value() < before) {
              throw new AssertionError("a bucket falls: " + bucket);
            }
            before = bucket.value();
          }
          Sample last = of.get(of.size() - 1);
          if (!"+Inf".equals(last.labels().get("le"))
              || last.value() != value(name + "_count", labels)) {
            throw new AssertionError("the buckets do not end at the count: " + last);
          }
        });
  }

  /** The types by the names of the metrics. */
  public Map<String, String> types() {
    return types;
  }

  /** The names of all samples. */
  public Set<String> names() {
    return samples.stream().map(Sample::name).collect(Collectors.toCollection(TreeSet::new));
  }

  public List<Sample> all(String name) {
    return samples.stream().filter(sample -> sample.name().equals(name)).toList();
  }

  /** The sum over all samples of that name whose labels contain {@code labels}. */
  public double value(String name, Map<String, String> labels) {
    List<Sample> found =
        all(name).stream()
            .filter(sample -> sample.labels().entrySet().containsAll(labels.entrySet()))
            .toList();
    if (found.isEmpty()) {
      throw new AssertionError("no " + name + labels);
    }
    return found.stream().mapToDouble(Sample::value).sum();
  }

  /** The values of one label of a metric. */
  public Set<String> labels(String name, String label) {
    return all(name).stream()
        .map(sample -> sample.labels().getOrDefault(label, ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
