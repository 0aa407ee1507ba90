package dev.mcpbus.internals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MissingInternalsTest {

  private static final String VERTX = "io.vertx.core.internal.VertxInternal";

  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          io.vertx.core.internal.Gone
          io.vertx.core.internal.VertxInternal createEventLoopContext ()V
          io.vertx.core.internal.VertxInternal gone ()Lio/vertx/core/internal/ContextInternal;
          io.vertx.core.internal.VertxInternal createEventLoopContext (Lio/vertx/Gone;)V
          io.netty.buffer.Unpooled GONE Lio/netty/buffer/ByteBuf;
          io.netty.handler.ssl.SslHandler <init> ()V
          """)
  void a_member_that_has_moved_is_missed(String member) {
    assertThat(UsedInternals.isThere(member)).isFalse();
  }

  @Test
  void what_is_there_is_linked() {
    assertThat(UsedInternals.isThere(VERTX)).isTrue();
    assertThat(
            UsedInternals.isThere(
                VERTX + " createEventLoopContext ()Lio/vertx/core/internal/ContextInternal;"))
        .isTrue();
    assertThat(
            UsedInternals.isThere(
                "io.netty.buffer.Unpooled EMPTY_BUFFER Lio/netty/buffer/ByteBuf;"))
        .isTrue();
  }

  /** Checks this class path as a build with other versions would. */
  private void check(String built) throws Exception {
    Path list = folder.resolve("dev/mcpbus/internals/used-internals.txt");
    Files.createDirectories(list.getParent());
    Files.writeString(list, built);
    List<URL> path = new ArrayList<>(List.of(folder.toUri().toURL()));
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      path.add(Path.of(entry).toUri().toURL());
    }
    try (URLClassLoader other =
        new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      Method check =
          other.loadClass(UsedInternals.class.getName()).getMethod("check", boolean.class);
      check.invoke(null, false);
    } catch (InvocationTargetException e) {
      throw (Exception) e.getCause();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void a_class_path_that_lacks_a_member_is_refused_with_the_versions() {
    assertThatThrownBy(
            () -> check("Vert.x 5.9.1, Netty 4.2.1.Final\n" + VERTX + " gone ()V\n" + VERTX))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll(
            UsedInternals.versions(), "lack what mcpbus uses: " + VERTX + " gone ()V.", "5.9.x");
  }

  @Test
  void another_version_that_has_all_members_is_admitted() throws Exception {
    check("Vert.x 5.9.1, Netty 4.2.1.Final\n" + VERTX);
  }
}
