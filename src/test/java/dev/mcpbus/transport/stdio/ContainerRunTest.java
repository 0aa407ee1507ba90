package dev.mcpbus.transport.stdio;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.transport.StdioOptions;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ContainerRunTest {

  private static final Path FILE = Path.of("/state/k.cid");

  private static @Nullable ContainerRun of(String command) {
    List<String> words = Arrays.asList(command.split(" "));
    return ContainerRun.of(
        StdioOptions.of(words.get(0), words.subList(1, words.size())), "k", FILE);
  }

  private static ContainerRun started(String command) {
    return requireNonNull(of(command));
  }

  @ParameterizedTest
  @CsvSource({
    "docker run -i --rm image, run --name mcpbus-k -i --rm image, ''",
    "/usr/bin/podman run -i image, run --name mcpbus-k -i image, ''",
    "nerdctl -n ns run -i image, -n ns run --name mcpbus-k -i image, -n ns",
    "docker --context far run image, --context far run --name mcpbus-k image, --context far",
    "docker --context=far run image, --context=far run --name mcpbus-k image, --context=far",
    "docker -H tcp://h:1 run image, -H tcp://h:1 run --name mcpbus-k image, -H tcp://h:1",
    "docker -Htcp://h:1 run image, -Htcp://h:1 run --name mcpbus-k image, -Htcp://h:1",
    "docker -D run image, -D run --name mcpbus-k image, -D",
    "docker container run image, container run --name mcpbus-k image, ''",
    "docker -c x container run image, -c x container run --name mcpbus-k image, -c x",
    "docker compose -f a.yaml run svc, compose -f a.yaml run --name mcpbus-k svc, ''",
    "sudo -n docker run image, -n docker run --name mcpbus-k image, -n docker",
    "sudo -u me docker run image, -u me docker run --name mcpbus-k image, -u me docker",
    "docker.exe run image, run --name mcpbus-k image, ''",
    "flatpak-spawn --host podman run image, --host podman run --name mcpbus-k image,"
        + " --host podman",
    "op run -- docker -D run image, run -- docker -D run --name mcpbus-k image, -D",
    "env A=b docker run image, A=b docker run --name mcpbus-k image, ''",
    "aws-vault exec prod -- docker run image, exec prod -- docker run --name mcpbus-k image, ''",
  })
  void a_container_gets_a_name_of_ours(String command, String args, String stop) {
    ContainerRun run = started(command);
    assertThat(String.join(" ", run.args())).isEqualTo(args);
    assertThat(String.join(" ", run.stop())).isEqualTo(stop);
    assertThat(run.name()).isEqualTo("mcpbus-k");
    assertThat(run.cidFile()).isNull();
  }

  /**
   * What hands out secrets may ask for a person, or lack its own secret when the command is over.
   */
  @Test
  void a_command_that_only_hands_out_secrets_is_not_needed_to_stop_the_container() {
    assertThat(started("op run -- docker run image").script(Path.of("/bin/op"), Map.of(), 2))
        .contains("  'docker' stop -t 2 ")
        .doesNotContain("/bin/op");
    assertThat(started("sudo docker run image").script(Path.of("/bin/sudo"), Map.of(), 2))
        .contains("  '/bin/sudo' 'docker' stop -t 2 ");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "docker run --name mine image",
        "docker run --name=mine image",
        "docker run image serve --name other"
      })
  void a_container_with_a_name_is_known_by_its_id(String command) {
    ContainerRun run = started(command);
    assertThat(run.args().subList(0, 3)).containsExactly("run", "--cidfile", FILE.toString());
    assertThat(run.cidFile()).isEqualTo(FILE);
    String script = run.script(Path.of("/bin/docker"), Map.of(), 2);
    assertThat(script).contains("$(cat '/state/k.cid')").doesNotContain("mine", "other");
  }

  @Test
  void the_users_file_of_the_id_is_read_if_it_is_new() {
    ContainerRun run = started("docker run --name mine --cidfile=/a/b image");
    assertThat(run.args()).doesNotContain(FILE.toString());
    assertThat(run.script(Path.of("/bin/docker"), Map.of(), 2))
        .contains("id=; [ '/a/b' -nt \"$0\" ] && id=$(cat '/a/b')");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "docker run --cidfile /a/b image",
        "docker run -it --rm -v /x:/y -e A -p8080:80 --network host --cidfile /a/b image",
        "docker run --env=A=1 -ite B --cidfile=/a/b image --cidfile /c/d",
      })
  void the_users_file_is_found_among_the_options(String command) {
    assertThat(started(command).cidFile()).isEqualTo(Path.of("/a/b"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "docker run image --cidfile /a/b --rm",
        "docker run -i image serve --cidfile=/a/b --rm",
        "docker run -it -v /x:/y image --cidfile /a/b --rm",
        "docker run -v/x:/y image --cidfile /a/b --rm",
        "docker run -- image --cidfile /a/b --rm",
        "docker run --unknown image --cidfile /a/b --rm",
        "docker compose run svc --cidfile /a/b --rm"
      })
  void a_file_of_the_program_in_the_container_is_left_alone(String command) {
    ContainerRun run = started(command);
    assertThat(run.cidFile()).isNull();
    assertThat(run.removed()).isFalse();
    assertThat(run.script(Path.of("/bin/docker"), Map.of(), 2)).doesNotContain("/a/b");
    ContainerRun named = started(command.replace("compose ", "").replace("run ", "run --name x "));
    assertThat(named.cidFile()).isEqualTo(FILE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "docker ps",
        "docker exec -i box run",
        "docker",
        "docker -H",
        "docker start -i run",
        "docker compose --name x exec run",
        "docker compose run --name mine svc",
        "npx run",
        "sudo -n",
        "sudo ls run"
      })
  void what_starts_no_container_of_its_own_is_left_alone(String command) {
    assertThat(of(command)).isNull();
  }

  @Test
  void the_script_keeps_what_says_where_the_containers_are_and_no_secret() {
    ContainerRun run = started("docker -H it's run --rm image");
    String script =
        run.script(
            Path.of("/a b/docker"),
            Map.of(
                "DOCKER_HOST",
                "ssh://h",
                "API_TOKEN",
                "t0p",
                "DOCKER_AUTH_CONFIG",
                "t0p",
                "HOME",
                "/h"),
            3);
    assertThat(script)
        .contains("export DOCKER_HOST='ssh://h'\n", "export HOME='/h'\n")
        .contains("'/a b/docker' '-H' 'it'\\''s' stop -t 3 \"$id\" || ")
        .contains(" rm -f \"$id\"")
        .doesNotContain("t0p");
  }
}
