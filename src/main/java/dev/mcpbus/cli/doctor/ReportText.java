package dev.mcpbus.cli.doctor;

import dev.mcpbus.cli.Terminal;
import dev.mcpbus.doctor.DoctorStep;
import dev.mcpbus.doctor.DoctorStep.StepResult;
import dev.mcpbus.doctor.Finding;
import dev.mcpbus.protocol.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reports for people: a list with a mark for each step. Check marks on a terminal, ASCII in files
 * and pipes; 80 columns there, and those of the terminal up to 100. Pure.
 */
final class ReportText {

  private static final int USUAL_COLUMNS = 80;
  private static final int MOST_COLUMNS = 100;
  private static final int NAME = 12;
  private static final int TIME = 9;
  private static final int MAX_LINES = 4;

  private static final Map<StepResult, String> MARKS =
      Map.of(
          StepResult.OK, "\u2714",
          StepResult.NOTE, "!",
          StepResult.FAILED, "\u2718",
          StepResult.SKIPPED, "-");

  private static final Map<StepResult, String> ASCII =
      Map.of(
          StepResult.OK, "ok  ",
          StepResult.NOTE, "note",
          StepResult.FAILED, "FAIL",
          StepResult.SKIPPED, "-   ");

  private final int columns;
  private final Map<StepResult, String> marks;
  private final List<String> lines = new ArrayList<>();

  private ReportText(Terminal terminal) {
    this.columns =
        terminal.columns() == Terminal.UNBOUNDED
            ? USUAL_COLUMNS
            : Math.min(terminal.columns(), MOST_COLUMNS);
    this.marks = terminal.out() && terminal.colors() && terminal.unicode() ? MARKS : ASCII;
  }

  /** Every step of one server. */
  static List<String> whole(DoctorReport report, Terminal terminal) {
    ReportText text = new ReportText(terminal);
    text.head(report);
    report.steps().stream()
        .filter(step -> step.result() != StepResult.SKIPPED)
        .forEach(step -> text.step(step, !report.isWell()));
    text.notTried(report);
    text.conclusion(report);
    return text.lines;
  }

  /** A short block for each server, and a summary. */
  static List<String> all(List<DoctorReport> reports, Terminal terminal) {
    ReportText text = new ReportText(terminal);
    for (DoctorReport report : reports) {
      text.block(report);
      text.lines.add("");
    }
    text.summary(reports);
    return text.lines;
  }

  // ---- one server

  private void head(DoctorReport report) {
    add("", title(report), 0);
  }

  private static String title(DoctorReport report) {
    return report.id() + (report.target().isEmpty() ? "" : ": " + report.target());
  }

  private void step(DoctorStep step, boolean brief) {
    String begin = "  " + marks.get(step.result()) + " " + pad(step.name(), NAME);
    String indent = " ".repeat(begin.length());
    int width = columns - begin.length();
    boolean timed = step.millis() >= 0;
    List<String> parts = wrap(step.fact(), timed ? width - TIME : width);
    for (int i = 0; i < parts.size(); i++) {
      String line = (i == 0 ? begin : indent) + parts.get(i);
      boolean fits = line.length() + TIME <= columns;
      lines.add(timed && (fits || i == parts.size() - 1) ? withTime(line, step.millis()) : line);
      timed &= !fits;
    }
    Finding found = step.finding();
    if (found != null && !(brief && step.result() == StepResult.NOTE)) {
      details(step, found, indent);
    }
  }

  private String withTime(String line, long millis) {
    String time = millis + " ms";
    return line + " ".repeat(Math.max(1, columns - line.length() - time.length())) + time;
  }

  private void details(DoctorStep step, Finding found, String indent) {
    boolean note = step.result() == StepResult.NOTE;
    if (note && !found.text().equals(step.fact())) {
      add(indent, found.text(), indent.length());
    }
    found.evidence().stream()
        .limit(MAX_LINES)
        .forEach(line -> add(indent + "| ", line, indent.length() + 2));
    if (note) {
      add(indent, ended(found.remedy()), indent.length());
    }
  }

  private void notTried(DoctorReport report) {
    String names =
        report.steps().stream()
            .filter(step -> step.result() == StepResult.SKIPPED)
            .map(DoctorStep::name)
            .collect(Collectors.joining(", "));
    if (!names.isEmpty()) {
      String begin = "  " + marks.get(StepResult.SKIPPED) + " ";
      add(begin, "not tried: " + names, begin.length());
    }
  }

  private void conclusion(DoctorReport report) {
    lines.add("");
    running(report.running());
    if (report.failure().isPresent()) {
      whatToDo(report.failure().get());
    } else {
      add("", report.id() + (report.hasNotes() ? " works, with notes." : " works."), 0);
    }
  }

  private void running(@Nullable String says) {
    if (says != null) {
      add("The running mcpbus at ", ended(says), 2);
    }
  }

  private void whatToDo(Finding found) {
    add("What to do: ", ended(found.remedy()) + " [" + found.cause() + "]", 2);
  }

  // ---- all servers

  private void block(DoctorReport report) {
    StepResult result =
        report.isWell() ? (report.hasNotes() ? StepResult.NOTE : StepResult.OK) : StepResult.FAILED;
    String begin = marks.get(result) + " ";
    String indent = " ".repeat(begin.length());
    add(begin, title(report), begin.length());
    if (report.isWell()) {
      add(indent, facts(report), begin.length());
    }
    for (DoctorStep step : report.steps()) {
      Finding found = step.finding();
      boolean told = report.isWell() || step.hasFailed() || step.name().equals("environment");
      if (found != null && told) {
        add(indent, step.name() + ": " + found.text(), begin.length());
        found.evidence().stream()
            .limit(step.hasFailed() ? MAX_LINES : 1)
            .forEach(line -> add(indent + "| ", line, begin.length() + 2));
        if (step.hasFailed()) {
          add(
              indent + "What to do: ",
              ended(found.remedy()) + " [" + found.cause() + "]",
              begin.length() + 2);
        }
      }
    }
    if (report.running() != null) {
      add(indent + "The running mcpbus at ", ended(report.running()), begin.length() + 2);
    }
  }

  /** What one wants to know of a server that works. */
  private static String facts(DoctorReport report) {
    return report.steps().stream()
        .filter(step -> List.of("era", "handshake", "lists").contains(step.name()))
        .map(
            step ->
                step.name().equals("handshake")
                    ? step.fact() + " in " + step.millis() + " ms"
                    : step.fact().replaceFirst(";.*", ""))
        .collect(Collectors.joining("; "));
  }

  private void summary(List<DoctorReport> reports) {
    long well = reports.stream().filter(DoctorReport::isWell).count();
    String count = reports.size() + (reports.size() == 1 ? " server" : " servers");
    if (well == reports.size()) {
      add(
          "",
          count + (reports.isEmpty() ? "." : reports.size() == 1 ? ": works." : ": all work."),
          0);
      return;
    }
    String broken =
        reports.stream()
            .filter(report -> !report.isWell())
            .map(
                report ->
                    report.id()
                        + report.failure().map(found -> " (" + found.cause() + ")").orElse(""))
            .collect(Collectors.joining(", "));
    add("", count + ": " + works(well) + ", " + doNot(reports.size() - well) + ": " + broken, 0);
    add("", "Every step of one: mcpbus doctor ID", 0);
  }

  private static String works(long count) {
    return count + (count == 1 ? " works" : " work");
  }

  private static String doNot(long count) {
    return count + (count == 1 ? " does not" : " do not");
  }

  // ---- lines

  /** One or more lines: the first begins with {@code begin}, the others with blanks. */
  private void add(String begin, String text, int indent) {
    List<String> parts = wrap(text, columns - Math.max(begin.length(), indent), columns - indent);
    lines.add(begin + parts.get(0));
    parts.stream().skip(1).forEach(part -> lines.add(" ".repeat(indent) + part));
  }

  private List<String> wrap(String text, int width) {
    return wrap(text, width, width);
  }

  /** A word that is longer than a line stays whole, so that a person can copy a path or a URL. */
  private List<String> wrap(String text, int first, int others) {
    List<String> parts = new ArrayList<>();
    StringBuilder part = new StringBuilder();
    for (String word : shown(text).split(" +", -1)) {
      int width = parts.isEmpty() ? first : others;
      if (part.length() > 0 && part.length() + 1 + word.length() > width) {
        parts.add(part.toString());
        part.setLength(0);
      }
      part.append(part.length() == 0 ? "" : " ").append(word);
    }
    parts.add(part.toString());
    return parts;
  }

  private String shown(String text) {
    String line = Printable.line(text.strip().replaceAll("\\s+", " "));
    return marks == MARKS ? line : ascii(line);
  }

  private static String ascii(String line) {
    StringBuilder out = new StringBuilder();
    line.codePoints().forEach(c -> out.append(c < 0x80 ? Character.toString(c) : "?"));
    return out.toString();
  }

  /** A sentence with its full stop. */
  private static String ended(String sentence) {
    return sentence.endsWith("?") || sentence.endsWith(".") ? sentence : sentence + ".";
  }

  private static String pad(String text, int width) {
    return text + " ".repeat(Math.max(1, width - text.length() + 1));
  }
}
