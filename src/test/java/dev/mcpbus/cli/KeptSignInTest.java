package dev.mcpbus.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.mcpbus.protocol.Sha256;
import dev.mcpbus.security.AdminTokenFile;
import dev.mcpbus.security.signin.SignInBed;
import dev.mcpbus.testing.FormBrowser;
import dev.mcpbus.testing.FreePorts;
import dev.mcpbus.testing.IdentityProvider;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The file of a person's sign-in, and how its tokens are renewed at a real mcpbus. */
@ExtendWith(VertxExtension.class)
class KeptSignInTest {

  @TempDir private Path home;
  private SignInBed bed;
  private volatile Duration later = Duration.ZERO;

  @BeforeEach
  void start(Vertx vertx) {
    bed = new SignInBed(vertx);
  }

  @AfterEach
  void close() {
    bed.close();
  }

  private KeptSignIn kept() {
    return kept(bed.base());
  }

  private KeptSignIn kept(String url) {
    return new KeptSignIn(home, URI.create(url), () -> Instant.now().plus(later));
  }

  /** A process of a command, with what it knows. */
  private CommandRun command(String... args) {
    return command(Map.of(), args);
  }

  private CommandRun command(Map<String, String> more, String... args) {
    List<String> all = new ArrayList<>(List.of(args));
    all.add("--url=" + bed.base());
    Map<String, String> variables = new HashMap<>(more);
    variables.put("MCPBUS_ADMIN_FOLDER", home.resolve("admin").toString());
    return new CommandRun(home, variables, "", all.toArray(String[]::new));
  }

  private KeptTokens signIn() {
    List<DeviceSignIn.DevicePage> pages = new ArrayList<>();
    return new DeviceSignIn(
            new ServiceClient(URI.create(bed.base()), null, null),
            pages::add,
            wait -> new FormBrowser().signIn(URI.create(pages.get(0).url()), "ada"),
            Instant::now)
        .run();
  }

  private Path file(String origin) {
    return home.resolve(".mcpbus/sign-ins").resolve(Sha256.hex(origin));
  }

  /** How often the login was renewed at mcpbus. */
  private int generation(String token) {
    String key = "signin family " + IdentityProvider.claims(token).getString("sid");
    JsonObject family = TestBus.await(bed.store.load(key));
    return family == null ? -1 : family.getInteger("generation", -1);
  }

  /** Both here and at mcpbus the access token is over. */
  private void untilOver() {
    later = later.plus(Duration.ofMinutes(11));
    bed.wait(Duration.ofMinutes(11));
  }

  @Test
  void it_is_this_users_alone_and_shows_no_token() throws IOException {
    KeptTokens tokens = signIn();
    Path file = file(bed.base());
    kept().keep(tokens);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file.getParent())))
        .isEqualTo("rwx------");
    assertThat(tokens.toString()).doesNotContain(tokens.access(), tokens.refresh());
    assertThat(kept().token()).isEqualTo(tokens.access());
    CommandRun who = command("whoami");
    assertThat(who.out()).as(who.err()).contains("user:ada");
    assertThat(who.out() + who.err()).doesNotContain(tokens.access(), tokens.refresh());
  }

  @Test
  void a_key_that_is_refused_is_named_and_comes_before_it() throws IOException {
    Map<String, String> wrong = Map.of("MCPBUS_KEY", "wrong");
    assertThat(command(wrong, "whoami").err())
        .contains("the key of MCPBUS_KEY is not good here")
        .doesNotContain("login");
    kept().keep(signIn());
    assertThat(command(wrong, "whoami").err())
        .contains("the key of MCPBUS_KEY is not good here; it comes before your login")
        .doesNotContain("--key-file");
    Path file = Files.writeString(home.resolve("key"), "wrong");
    assertThat(command(wrong, "whoami", "--key-file=" + file).err())
        .contains("the key of --key-file " + file + " is not good here; it comes before")
        .doesNotContain("MCPBUS_KEY");
    kept().end();
    Map<String, String> folder = Map.of("MCPBUS_ADMIN_FOLDER", home.resolve("admin").toString());
    AdminTokenFile admin = AdminTokenFile.of(URI.create(bed.base()).getPort(), folder);
    admin.write("mcpbus_" + "a".repeat(43));
    assertThat(command("whoami").err())
        .contains("the admin key in " + admin.path() + " is not good here")
        .contains("mcpbus login --url " + bed.base());
  }

  @Test
  void it_is_for_exactly_this_origin() throws IOException {
    KeptTokens tokens = signIn();
    kept("https://mcp.example.com:443/mcp").keep(tokens);
    assertThat(kept("https://MCP.example.com").token()).isEqualTo(tokens.access());
    for (String other :
        List.of(
            "http://mcp.example.com",
            "http://mcp.example.com:443",
            "https://mcp.example.com:444",
            "https://mcp.example.com.evil.example",
            "https://example.com")) {
      assertThat(kept(other).isThere()).as(other).isFalse();
    }
    Files.copy(file("https://mcp.example.com"), file(bed.base()));
    assertThatThrownBy(() -> kept().token()).hasMessageContaining("no login at " + bed.base());
  }

  @Test
  void commands_at_once_renew_it_once() throws Exception {
    KeptTokens tokens = signIn();
    kept().keep(tokens);
    int first = generation(tokens.access());
    for (int round = 1; round <= 3; round++) {
      untilOver(); // also over is the time in which an older token is tolerated
      int many = 6;
      CyclicBarrier all = new CyclicBarrier(many);
      List<CompletableFuture<String>> found = new ArrayList<>();
      for (int i = 0; i < many; i++) {
        found.add(
            CompletableFuture.supplyAsync(
                () -> {
                  try {
                    KeptSignIn own = kept();
                    all.await(60, TimeUnit.SECONDS);
                    return own.token();
                  } catch (Exception e) {
                    throw new AssertionError(e);
                  }
                },
                command -> new Thread(command, "command").start()));
      }
      String token = found.get(0).get(60, TimeUnit.SECONDS);
      for (CompletableFuture<String> one : found) {
        assertThat(one.get(60, TimeUnit.SECONDS)).isEqualTo(token);
      }
      assertThat(generation(token)).isEqualTo(first + round);
    }
  }

  @Test
  void a_client_renews_it_while_a_command_runs() {
    kept().keep(signIn());
    ServiceClient client = new ServiceClient(URI.create(bed.base()), kept());
    assertThat(client.get("/api/caller").getString("name")).isEqualTo("user:ada");
    untilOver();
    assertThat(client.get("/api/caller").getString("name")).isEqualTo("user:ada");
  }

  @Test
  void a_login_that_has_ended_is_forgotten_and_the_text_says_what_to_do() {
    KeptTokens tokens = signIn();
    kept().keep(tokens);
    tokens.revoke(new ServiceClient(URI.create(bed.base()), null, null));
    assertThat(command("whoami").err())
        .as("before the token is over here")
        .contains("log in again with \"mcpbus login --url " + bed.base() + "\"");
    later = Duration.ofMinutes(11);
    assertThatThrownBy(() -> kept().token())
        .hasMessageContainingAll("has ended", "\"mcpbus login --url " + bed.base() + "\"");
    assertThat(kept().isThere()).isFalse();
  }

  @Test
  void where_mcpbus_cannot_be_reached_the_login_stays() {
    String url = "http://127.0.0.1:" + FreePorts.one();
    KeptTokens tokens = signIn();
    kept(url).keep(tokens);
    later = Duration.ofMinutes(11);
    assertThatThrownBy(() -> kept(url).token()).hasMessageContaining("cannot be reached");
    assertThat(kept(url).isThere()).isTrue();
    CommandRun logout = new CommandRun(home, Map.of(), "", "logout", "--url", url);
    assertThat(logout.code()).isZero();
    assertThat(logout.out()).contains("You are logged out at " + url);
    assertThat(logout.err()).contains("mcpbus does not know of it", "cannot be reached");
    assertThat(kept(url).isThere()).isFalse();
  }

  @Test
  void where_the_sign_in_is_switched_off_the_login_can_be_forgotten() {
    try (TestBus bus = TestBus.startWithBridge(new JsonObject())) {
      String url = "http://127.0.0.1:" + bus.port();
      kept(url).keep(signIn());
      later = Duration.ofMinutes(11);
      assertThatThrownBy(() -> kept(url).token())
          .hasMessageContainingAll("cannot be renewed", "\"mcpbus logout --url " + url + "\"");
      kept(url).end();
      assertThat(kept(url).isThere()).isFalse();
    }
  }

  @Test
  void a_new_login_ends_the_one_before() {
    KeptTokens first = signIn();
    kept().keep(first);
    bed.forget("signin poll");
    KeptTokens second = signIn();
    kept().keep(second);
    assertThat(generation(first.access())).isEqualTo(-1);
    assertThat(generation(second.access())).isPositive();
    assertThat(kept().token()).isEqualTo(second.access());
  }

  @Test
  void a_logout_ends_it_at_mcpbus() {
    KeptTokens tokens = signIn();
    kept().keep(tokens);
    assertThat(command("logout").out()).contains("You are logged out at " + bed.base());
    assertThat(generation(tokens.access())).isEqualTo(-1);
    assertThat(kept().isThere()).isFalse();
    assertThat(new JsonObject(command("logout", "--json").out()))
        .isEqualTo(
            new JsonObject().put("url", bed.base()).put("loggedOut", false).put("revoked", false));
    assertThat(command("whoami").err()).contains("mcpbus login");
  }

  @Test
  void a_file_that_others_may_have_touched_is_not_used() throws IOException {
    kept().keep(signIn());
    Path file = file(bed.base());
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertThatThrownBy(() -> kept().token())
        .hasMessageContainingAll("can be read", "chmod 600", "mcpbus login --url");

    Path elsewhere = Files.move(file, home.resolve("elsewhere"));
    Files.setPosixFilePermissions(elsewhere, PosixFilePermissions.fromString("rw-------"));
    Files.createSymbolicLink(file, elsewhere);
    assertThatThrownBy(() -> kept().token()).hasMessageContainingAll("is a link", file.toString());
    assertThat(command("whoami").code()).as("no admin key in its place").isEqualTo(3);

    bed.forget("signin poll");
    String before = Files.readString(elsewhere);
    kept().keep(signIn());
    assertThat(Files.isSymbolicLink(file)).isFalse();
    assertThat(elsewhere).hasContent(before);

    Files.delete(file);
    Files.createSymbolicLink(file, elsewhere);
    assertThat(command("logout").err())
        .contains(file + ", was not used, because it is a link, or no file")
        .doesNotContain("remove it", "log in again");
    assertThat(file).doesNotExist();
  }

  @Test
  void a_torn_file_says_what_to_do_and_spoils_no_other_login() throws IOException {
    KeptTokens tokens = signIn();
    kept().keep(tokens);
    kept("https://mcp.example.com").keep(tokens);
    Path mine = file(bed.base());
    for (String torn :
        List.of(
            "",
            "{\"origin\": ",
            "[]",
            "{}",
            Files.readString(mine).replace("/oauth/token", "@evil.example/"),
            Files.readString(mine).replace(tokens.refresh(), "a\\r\\nb"))) {
      Files.writeString(mine, torn);
      assertThatThrownBy(() -> kept().token())
          .as(torn)
          .hasMessageContaining(
              "the file of your login, "
                  + mine
                  + ", is torn, or no login at "
                  + bed.base()
                  + "; log in again with \"mcpbus login --url ");
    }
    assertThat(kept("https://mcp.example.com").token()).isEqualTo(tokens.access());
    CommandRun logout = command("logout");
    assertThat(logout.out()).contains("You are logged out");
    assertThat(logout.err())
        .contains("mcpbus does not know of it", mine + ", was not used, because it is torn")
        .doesNotContain("log in again", "forget");
    assertThat(mine).doesNotExist();
    assertThat(kept("https://mcp.example.com").token()).isEqualTo(tokens.access());
  }

  @Test
  void where_it_cannot_be_kept_the_login_does_not_begin() throws IOException {
    Files.createDirectories(home.resolve(".mcpbus"));
    Path elsewhere = Files.createDirectory(home.resolve("elsewhere"));
    Files.createSymbolicLink(home.resolve(".mcpbus/sign-ins"), elsewhere);
    CommandRun login = command("login");
    assertThat(login.code()).isEqualTo(1);
    assertThat(login.err()).contains("cannot be changed", "is a link");
    assertThat(elsewhere).isEmptyDirectory();
  }
}
