package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SecretRulesTest {

  private static List<String> in(String name, String value) {
    return SecretRules.in(name, Sensitive.of(value)).stream().map(Sensitive::reveal).toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "pwd",
        "dbPwd",
        "DB_PWD",
        "passcode",
        "pin",
        "cardPin",
        "otp",
        "X-OTP",
        "signature",
        "session",
        "sessionId",
        "Mcp-Session-Id",
        "webhook",
        "slackWebhookUrl",
        "connectionString",
        "connection_string",
        "dsn",
        "SENTRY_DSN",
        "jwt",
        "idJwt",
        "JWTToken",
        "bearer",
        "accessKey",
        "AWS_ACCESS_KEY_ID",
        "mnemonic",
        "password",
        "Passwort",
        "passwd",
        "passphrase",
        "pass",
        "MYSQL_PASS",
        "secret",
        "client_secret",
        "token",
        "refreshToken",
        "api-key",
        "apikey",
        "X-Api-Key",
        "authorization",
        "Proxy-Authorization",
        "auth",
        "cookie",
        "Set-Cookie",
        "credentials",
        "privateKey",
        "signing_key",
        "sshKey",
        "seedPhrase",
        "recoveryCodes",
        "2fa",
        "mfaCode",
        "totp",
        "csrf",
        "xsrf-token",
        "sas",
        "hmac",
        "cvv",
        "code_verifier",
        "client_assertion",
        "psk",
        "accountKey",
        "licenseKey"
      })
  void a_name_of_a_secret_is_known_however_its_words_are_joined(String name) {
    assertThat(SecretRules.isSecret(name)).isTrue();
    assertThat(SecretRules.mayTakeSecret("--" + name)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "progressToken",
        "maxTokens",
        "outputTokens",
        "author",
        "key",
        "value",
        "",
        "spinner",
        "pinned",
        "compass",
        "passenger",
        "bypass",
        "shopping",
        "potpourri",
        "side",
        "description",
        "tokenEndpoint",
        "TOKEN_URL",
        "SESSION_TIMEOUT",
        "PASSWORD_FILE",
        "authType",
        "code",
        "LOG_LEVEL",
        "PATH",
        "user",
        "---"
      })
  void a_name_of_another_thing_is_none(String name) {
    assertThat(SecretRules.isSecret(name)).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "LOG_LEVEL | info",
        "NODE_ENV | production",
        "PORT | 8080",
        "DEBUG | true",
        "LANG | en_US.UTF-8",
        "VERSION | v1.22.333",
        "LISTEN | 127.0.0.1:8080",
        "HOST | db.example:5432",
        "WAIT | 30s",
        "AWS_REGION | us-east-1",
        "NODE | node2",
        "MODEL | gpt-4.1-mini",
        "SINCE | 2024-11-05",
        "ROOT | /srv/data/v2",
        "PATH | /usr/local/bin:/usr/bin:./node_modules/.bin",
        "IMAGE | ghcr.io/a/b:latest",
        "NODE_OPTIONS | --max-old-space-size=4096 --trace-warnings",
        "TITLE | The files of this project",
        "ACCEPT | application/json, text/event-stream",
        "TOKEN_ENABLED | true",
        "AUTH | none",
        "GOOGLE_CREDENTIALS | /etc/google/key.json",
        "BASE | https://api.example/v2/items?format=json",
      })
  void a_harmless_value_holds_no_secret(String name, String value) {
    assertThat(in(name, value)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "API_TOKEN | info | info",
        "PIN | 1234 | 1234",
        "OPENAI_KEY | hunter2 | hunter2",
        "ANY | x7Gh2kQ9 | x7Gh2kQ9",
        "ANY | Bearer abcdef | Bearer abcdef",
        "ANY | 123456789 | 123456789",
        "ANY | qwertyuiopasdfghjklzxcvbnmqwerty | qwertyuiopasdfghjklzxcvbnmqwerty",
        "HTTPS_PROXY | http://ada:hunter@proxy:8080 | hunter",
        "HTTPS_PROXY | http://ada:hunter@proxy:8080 | ada:hunter",
        "ANY | jdbc:postgresql://h/db?user=ada&password=hunter | hunter",
        "ANY | jdbc:postgresql://ada:hunter@h/db | hunter",
        "ANY | Server=h;User Id=ada;Password=hunter;Encrypt=true | hunter",
        "ANY | https://api.example/v2?api_key=hunter&x=1 | hunter",
        "ANY | https://api.example/v2?key=hun%2Fter | hun/ter",
        "HEADERS | {\"Authorization\":\"Bearer hunter\"} | Bearer hunter",
        "ANY | {\"a\":[{\"password\":\"hunter\"}]} | hunter",
        "ANY | {\"pin\":4711} | 4711",
        "COOKIE | theme=dark; sid=hunter | hunter",
        "KEYS | k1x7Gh2kQ9,k2x7Gh2kQ9 | k2x7Gh2kQ9",
        "SLACK_WEBHOOK_URL | https://hooks.example/T0/hunter | https://hooks.example/T0/hunter",
      })
  void a_secret_is_found_by_its_name_or_its_form_and_in_parts(
      String name, String value, String secret) {
    assertThat(in(name, value)).contains(secret);
  }

  @Test
  void a_value_of_any_kind_is_read_to_its_end() {
    assertThat(in("A", "{".repeat(100_000))).hasSize(1);
    assertThat(in("A", "[".repeat(900) + "\"x7Gh2kQ9\"" + "]".repeat(900))).isNotEmpty();
    assertThat(in("A", "=:;://@".repeat(2_000))).isNotEmpty();
    assertThat(in("A", "x7Gh2kQ9, ".repeat(3) + random(100_000))).hasSizeBetween(50, 100);
    assertThat(SecretRules.isSecret("a".repeat(100_000) + "token")).isFalse();
  }

  private static String random(int pieces) {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < pieces; i++) {
      all.append('q').append(i).append("Z ");
    }
    return all.toString();
  }

  @Test
  void a_secret_in_base64_that_begins_with_a_slash_is_no_path() {
    for (String secret :
        List.of(
            "/wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "/x7Gh2kQ9+aB4cD8e=", "/9aZ3/kLm2Q/w")) {
      assertThat(SecretRules.in("AWS_SECRET_ACCESS_KEY", Sensitive.of(secret)))
          .as(secret)
          .contains(Sensitive.of(secret));
    }
    for (String path :
        List.of(
            "/run/secrets/token",
            "/run/secrets/GITHUB_TOKEN",
            "/Users/Ada/keys/gcp-a1b2c3d4.json",
            "/opt/MyApp/data/token",
            "./token",
            "/tmp/ssh-XXxx12/agent.17")) {
      assertThat(SecretRules.in("TOKEN", Sensitive.of(path))).as(path).isEmpty();
    }
  }

  @Test
  void folders_of_a_path_may_have_random_names() {
    Sensitive path = Sensitive.of("/nix/store/x7Gh2kQ9abcdef0123456789-python3/bin:/usr/bin");
    assertThat(SecretRules.in("PATH", path)).isEmpty();
    assertThat(SecretRules.in("ANY", path)).isNotEmpty();
    assertThat(SecretRules.in("PATH", Sensitive.of("x7Gh2kQ9abcdef0123456789"))).isNotEmpty();
  }
}
