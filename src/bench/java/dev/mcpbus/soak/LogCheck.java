package dev.mcpbus.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Reads the service's log to its end: every warning, error and stack trace has to be expected. */
final class LogCheck {

  /** What the run itself provokes, and how. */
  private static final Map<Pattern, String> EXPECTED = new LinkedHashMap<>();

  static {
    expect("hostile-", "those servers break the protocol on purpose");
    expect("victim", "its program is killed");
    expect("guest-", "every tenth of them names a program that is not there");
    expect("deserted: its tools cannot", "its lists have 4 s, too few for a busy machine");
  }

  /** The service leaves out further failures; the lines before tell whose they were. */
  private static final String TOO_MANY = "lines about failures in less than";

  private static final Pattern TIME = Pattern.compile("^\\d{4}-\\d\\d-\\d\\dT\\S+ +([A-Z]+) +.*");

  private LogCheck() {}

  private static void expect(String part, String reason) {
    EXPECTED.put(Pattern.compile(Pattern.quote(part)), reason);
  }

  /**
   * Lines that nobody expects, each with how often it came, digits and ids taken out. That failures
   * are left out is expected where all that were told before are provoked ones. Until the bridge
   * listens, classes are loaded: what that takes on a busy machine is not looked at.
   */
  static List<String> unexpected(Path log) {
    Map<String, Integer> found = new LinkedHashMap<>();
    try (var lines = Files.lines(log, StandardCharsets.ISO_8859_1)) {
      boolean[] told = {false};
      boolean[] started = {false};
      boolean[] provoked = {true};
      lines.forEach(
          line -> {
            var head = TIME.matcher(line);
            boolean entry = head.matches();
            started[0] |= line.contains("bridge listens on");
            boolean loading = !started[0] && line.contains("BlockedThreadChecker");
            boolean bad =
                entry
                    && !loading
                    && (head.group(1).equals("WARN") || head.group(1).equals("ERROR"));
            if (entry) {
              boolean tooMany = line.contains(TOO_MANY);
              told[0] = bad && (isExpected(line) || (tooMany && provoked[0]));
              if (tooMany) {
                provoked[0] = true;
              } else if (line.contains(" d.m.s.Supervision ")) {
                provoked[0] &= isExpected(line);
              }
            }
            // A line without a time belongs to the entry before: a trace's first line says enough.
            boolean trace = !entry && line.matches("^\\S*(Exception|Error)\\b.*");
            if ((bad || trace) && !told[0]) {
              found.merge(general(line), 1, Integer::sum);
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    List<String> all = new ArrayList<>();
    found.forEach((line, times) -> all.add(times + " times: " + line));
    return all;
  }

  private static boolean isExpected(String line) {
    return EXPECTED.keySet().stream().anyMatch(pattern -> pattern.matcher(line).find());
  }

  private static String general(String line) {
    String text = line.replaceFirst("^\\S+ +", "");
    text = text.replaceAll("[0-9a-f]{32}|[0-9a-f-]{36}", "*").replaceAll("\\d+", "#");
    return text.substring(0, Math.min(240, text.length()));
  }
}
