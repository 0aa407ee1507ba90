package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.ServerResult;
import dev.mcpbus.config.ServerSettings;
import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.Redactor;
import dev.mcpbus.protocol.Sensitive;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code config.txt} has documents, each on a line of its own, and below each what is read of it:
 * problems, notes, the servers that start, and every value that differs from a file that sets
 * nothing. A line begins with how the document comes: {@code file} with each key on a line of its
 * own, {@code line} as one line, {@code entry} as a server that is added at run time. Run with
 * {@code -Dmcpbus.write=true} it writes the results; the difference is for a person to judge.
 */
class ConfigGoldenTest {

  static final Path GOLDEN =
      Path.of(System.getProperty("mcpbus.basedir", "."), "src/test/resources/golden/config.txt");

  private static final String PLAIN =
      "{\"mcpServers\":{\"one\":{\"command\":\"run\"},\"two\":{\"url\":\"https://h/\"}}}";

  private static final Set<String> NOT_READ = Set.of("origin", "redactor", "source", "problems");

  @TempDir Path directory;
  private @Nullable McpBusConfig plain;

  @Test
  void every_document_is_read_as_it_was() throws IOException {
    Map<String, List<String>> golden = new LinkedHashMap<>();
    List<String> results = new ArrayList<>();
    for (String line : Files.readAllLines(GOLDEN)) {
      if (line.startsWith("  ")) {
        results.add(line);
      } else {
        results = new ArrayList<>();
        golden.put(line, results);
      }
    }
    assertThat(golden).hasSizeGreaterThan(1_000);
    Map<String, List<String>> now = new LinkedHashMap<>();
    golden.keySet().forEach(document -> now.put(document, read(document)));
    if (Boolean.getBoolean("mcpbus.write")) {
      List<String> lines = new ArrayList<>();
      now.forEach(
          (document, read) -> {
            lines.add(document);
            lines.addAll(read);
          });
      Files.write(GOLDEN, lines);
    }
    List<String> different = new ArrayList<>();
    now.forEach(
        (document, read) -> {
          List<String> was = golden.getOrDefault(document, List.of());
          if (!read.equals(was)) {
            different.add(
                document + "\nwas\n" + String.join("\n", was) + "\nis\n" + String.join("\n", read));
          }
        });
    assertThat(different.stream().limit(20).toList())
        .as(different.size() + " documents are read in another way")
        .isEmpty();
  }

  private List<String> read(String line) {
    Sample sample = Sample.in(directory);
    int blank = line.indexOf(' ');
    JsonObject document = new JsonObject(line.substring(blank + 1));
    List<String> out = new ArrayList<>();
    switch (line.substring(0, blank)) {
      case "file" -> file(sample.json(document.encodePrettily()), out);
      case "line" -> file(sample.json(document.encode()), out);
      case "entry" -> {
        ServerResult result =
            ConfigReader.readServer(
                "one", document, sample.environment(), directory, ServerSettings.DEFAULT);
        result.problems().forEach(problem -> out.add(problem.toString()));
        result.usable().ifPresent(read -> server(read, out));
      }
      default -> throw new AssertionError(line);
    }
    return out.stream().map(this::shown).toList();
  }

  private String shown(String text) {
    return "  "
        + text.replace(directory + "/", "").replace("\n", "\\n").replaceAll("\\p{Cntrl}", "?");
  }

  private void file(ConfigResult result, List<String> out) {
    result.problems().forEach(problem -> out.add((problem.fatal() ? "! " : "") + problem));
    result.notes().forEach(note -> out.add("note " + note));
    difference(ServerSettings.DEFAULT, result.defaults(), out);
    result
        .usable()
        .ifPresent(
            config -> {
              difference(plain().withServers(List.of()), config.withServers(List.of()), out);
              for (ServerDefinition server : config.servers()) {
                out.add("starts " + server.id().value());
                server(server, out);
              }
            });
  }

  /** What differs from a server of the same kind that sets nothing. */
  private void server(ServerDefinition read, List<String> out) {
    difference(plain().servers().get(read.transport().type().equals("stdio") ? 0 : 1), read, out);
  }

  private McpBusConfig plain() {
    if (plain == null) {
      plain = Sample.in(directory).read("plain.json", PLAIN).usable().orElseThrow();
    }
    return plain;
  }

  private static void difference(Object before, Object after, List<String> out) {
    Map<String, String> was = new TreeMap<>();
    Map<String, String> is = new TreeMap<>();
    flatten("", before, was);
    flatten("", after, is);
    is.forEach(
        (name, value) -> {
          if (!value.equals(was.get(name))) {
            out.add(name + " = " + value);
          }
        });
    was.keySet().stream().filter(name -> !is.containsKey(name)).forEach(x -> out.add(x + " gone"));
  }

  private static void flatten(String name, @Nullable Object value, Map<String, String> into) {
    if (value instanceof Sensitive secret) {
      into.put(name, "*" + secret.reveal() + "*");
    } else if (value instanceof JsonObject json) {
      into.put(name, json.encode());
    } else if (value instanceof Redactor) {
      into.put(name, "");
    } else if (value instanceof Map<?, ?> map) {
      map.forEach((key, each) -> flatten(name + "[" + key + "]", each, into));
    } else if (value instanceof List<?> list) {
      for (int i = 0; i < list.size(); i++) {
        flatten(name + "[" + i + "]", list.get(i), into);
      }
    } else if (value instanceof Set<?> set) {
      into.put(name, new TreeSet<>(set.stream().map(String::valueOf).toList()).toString());
    } else if (value instanceof Record record) {
      for (RecordComponent component : RecordCopy.components(record.getClass())) {
        if (!NOT_READ.contains(component.getName())) {
          flatten(name + "." + component.getName(), RecordCopy.get(record, component), into);
        }
      }
    } else if (value == null || value.getClass().getName().startsWith("java.")) {
      into.put(name, String.valueOf(value));
    } else if (value instanceof Enum<?>) {
      into.put(name, value.toString());
    } else {
      into.put(name, value.getClass().getSimpleName());
    }
  }
}
