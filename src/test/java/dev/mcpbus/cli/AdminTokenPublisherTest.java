package dev.mcpbus.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.security.AdminTokenFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AdminTokenPublisherTest {

  private static final String TOKEN = "mcpbus_secret";
  private static final String BASE = "http://127.0.0.1:1";

  @TempDir Path home;

  private Map<String, String> variables() {
    return Map.of(AdminTokenFile.FOLDER_VARIABLE, home.resolve("admin").toString());
  }

  @Test
  void a_person_sees_the_token_and_a_log_sees_where_it_is() throws IOException {
    AdminTokenPublisher admin = new AdminTokenPublisher(TOKEN, 1, variables());
    admin.open();
    assertThat(AdminTokenFile.of(1, variables()).read()).contains(TOKEN);
    assertThat(admin.line(BASE, true)).isEqualTo("Admin:  " + BASE + "/#token=" + TOKEN + "\n");
    assertThat(admin.line(BASE, false))
        .contains(home.resolve("admin/1").toString())
        .doesNotContain(TOKEN);
    admin.close();
    assertThat(home.resolve("admin")).isEmptyDirectory();
  }

  @Test
  void where_the_file_cannot_be_kept_the_service_goes_on_and_says_so() throws IOException {
    Files.writeString(home.resolve("admin"), "a file where the folder should be");
    AdminTokenPublisher admin = new AdminTokenPublisher(TOKEN, 1, variables());
    admin.open();
    assertThat(admin.line(BASE, false)).contains("cannot be written").doesNotContain(TOKEN);
    admin.close();
  }

  @Test
  void where_callers_log_in_nothing_is_written_or_said() {
    AdminTokenPublisher admin = new AdminTokenPublisher(null, 1, variables());
    admin.open();
    assertThat(admin.line(BASE, true)).isEmpty();
    admin.close();
    assertThat(home).isEmptyDirectory();
  }
}
