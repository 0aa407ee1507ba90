package dev.mcpbus.config.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.bus.NamePolicy;
import dev.mcpbus.bus.ToolName;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plug-ins that cannot be loaded. */
class PluginsTest {

  /** A valid policy that a service loader cannot create: its constructor has a parameter. */
  public static class Named implements NamePolicy {
    private final String name;

    Named(String name) {
      this.name = name;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public String encode(String server, String tool) {
      return DOTTED.encode(server, tool);
    }

    @Override
    public Optional<ToolName> decode(String text) {
      return DOTTED.decode(text);
    }
  }

  public static final class Good extends Named {
    public Good() {
      super("good");
    }
  }

  public static final class Twin extends Named {
    public Twin() {
      super("good");
    }
  }

  public static final class Greedy extends Named {
    public Greedy() {
      super("dotted");
    }
  }

  public static final class Nameless extends Named {
    public Nameless() {
      super("");
    }
  }

  public static final class Throwing extends Named {
    public Throwing() {
      super("throwing");
      throw new IllegalStateException("no licence");
    }
  }

  @TempDir
  @SuppressWarnings("NullAway.Init") // set before each test
  private Path folder;

  private Plugins<NamePolicy> load(String... lines) throws IOException {
    Path services = Files.createDirectories(folder.resolve("META-INF/services"));
    Files.write(services.resolve(NamePolicy.class.getName()), List.of(lines));
    URL[] path = {folder.toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(path, getClass().getClassLoader())) {
      return Plugins.load(NamePolicy.class, NamePolicy::name, List.of("dotted"), loader);
    }
  }

  @Test
  void one_that_cannot_be_loaded_affects_only_itself_and_is_reported() throws Exception {
    Plugins<NamePolicy> plugins =
        load(
            Throwing.class.getName(),
            "com.example.NotThere",
            PluginsTest.class.getName(),
            Good.class.getName());
    assertThat(plugins.find("good")).containsInstanceOf(Good.class);
    assertThat(plugins.find("throwing")).isEmpty();
    assertThat(plugins.remedy(List.of("dotted")))
        .startsWith("Use one of dotted, good, slash; could not be loaded: ")
        .contains(
            "PluginsTest$Throwing (IllegalStateException: no licence)",
            "com.example.NotThere",
            "PluginsTest not a subtype");
  }

  @Test
  void a_name_that_is_taken_or_empty_is_refused() throws Exception {
    Plugins<NamePolicy> plugins =
        load(
            Good.class.getName(),
            Twin.class.getName(),
            Greedy.class.getName(),
            Nameless.class.getName());
    assertThat(plugins.find("good")).containsInstanceOf(Good.class);
    assertThat(plugins.find("dotted")).isEmpty();
    assertThat(plugins.remedy(List.of()))
        .contains("\"good\" is taken", "\"dotted\" is taken", "empty name");
  }

  @Test
  void a_file_of_services_that_is_no_such_file_is_told_once() throws Exception {
    Plugins<NamePolicy> plugins = load("this is no class name");
    assertThat(plugins.find("slash")).isPresent();
    assertThat(plugins.remedy(List.of())).contains("could not be loaded");
  }
}
