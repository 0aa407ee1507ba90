package dev.mcpbus.observability.logging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.core.joran.spi.JoranException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class AuditLevelTest {

  private static final String AUDIT = "dev.mcpbus.audit";

  private static final String SILENT =
      "<configuration><root level='OFF'/><logger name='dev.mcpbus' level='OFF'/>"
          + "<logger name='"
          + AUDIT
          + "' level='ERROR'/></configuration>";

  private static void configure(LoggerContext logging) throws JoranException {
    JoranConfigurator file = new JoranConfigurator();
    file.setContext(logging);
    file.doConfigure(new ByteArrayInputStream(SILENT.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void no_variable_file_or_level_of_a_parent_silences_the_audit_log() throws JoranException {
    LoggerContext logging = new LoggerContext();
    LogSetup setup = new LogSetup(Map.of("MCPBUS_LOG", "OFF"), new ByteArrayOutputStream());
    setup.configure(logging);
    Logger audit = logging.getLogger(AUDIT);
    assertThat(audit.isInfoEnabled()).isTrue();
    configure(logging);
    assertThat(audit.isInfoEnabled()).isTrue();
    assertThat(logging.getLogger("dev.mcpbus").isErrorEnabled()).isFalse();
    logging.reset(); // as before a file is read again
    configure(logging);
    for (Level level : new Level[] {Level.OFF, Level.ERROR, Level.TRACE, null}) {
      audit.setLevel(level);
      assertThat(audit.getLevel()).isEqualTo(Level.INFO);
    }
    logging.stop();
  }

  @Test
  void a_request_neither_shows_nor_sets_it() {
    LogLevels levels = Objects.requireNonNull(LogLevels.find());
    assertThat(levels.all()).doesNotContainKey(AUDIT);
    for (String level : new String[] {"OFF", "INFO", null}) {
      assertThatThrownBy(() -> levels.set(AUDIT, level))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("auth.audit");
    }
  }
}
