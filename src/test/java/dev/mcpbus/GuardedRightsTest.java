package dev.mcpbus;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructorCall;
import dev.mcpbus.protocol.Sensitive;
import dev.mcpbus.security.AccessPolicy;
import dev.mcpbus.security.Principal;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Rights are made in one place, and secrets are revealed where they are needed alone. */
class GuardedRightsTest {

  private static final String ROOT = "dev.mcpbus";

  /** Who may see a text that may hold a secret, and what for. Each is used, or the test fails. */
  private static final Map<String, Set<String>> MAY_REVEAL =
      Map.of(
          "takes it out of other texts",
          Set.of("protocol.Redactor", "protocol.SecretRules", "transport.HttpOptions"),
          "hands it to a process",
          Set.of(
              "hosting.credentials.HeadersHelper",
              "transport.stdio.ContainerRun",
              "transport.stdio.Installer",
              "transport.stdio.LaunchSpec",
              "transport.stdio.StdioChannel",
              "transport.stdio.StdioTransport"),
          "sends it, or connects to where it leads",
          Set.of(
              "protocol.OutboundProxy",
              "transport.bus.BusTransport",
              "transport.http.ConfiguredHeaders",
              "transport.http.HttpChannel",
              "transport.http.HttpEndpoint",
              "transport.socket.SocketTarget"),
          "looks before a start for the command or the address that it is, and shows what is"
              + " masked",
          Set.of("doctor.CommandCheck", "doctor.Endpoint"),
          "gets tokens with it, and keeps them encrypted",
          Set.of(
              "hosting.credentials.CallerCredentials",
              "hosting.credentials.OAuthAuthenticators",
              "security.oauth.CallerTokens",
              "security.oauth.IntrospectionEndpoint",
              "security.oauth.SubjectToken",
              "security.oauth.RegisteredClient",
              "security.oauth.TokenGrants",
              "security.oauth.OAuthClient",
              "security.oauth.OAuthSettings",
              "security.oauth.TokenEndpoint",
              "security.oauth.OAuthTokens",
              "security.oauth.WorkloadToken",
              "security.signin.ProviderLogin"),
          "reads what a configuration means by it, and what of it may be shown",
          Set.of(
              "config.read.ClusterReader",
              "config.read.ConfigCheck",
              "config.read.ConfigEntry",
              "config.read.EntryMasking",
              "config.read.PluginEntryReader",
              "config.read.ServerReader",
              "config.read.ServerTypeResolver",
              "config.read.ServerUrlReader",
              "config.read.SettingsReader",
              "config.read.Substitution"));

  private static final JavaClasses CLASSES = BuiltClasses.ALL;

  /**
   * What a caller may do comes from a credential and the policies alone: the admin right where keys
   * and tokens are read, rights where policies are, and a caller where both come together.
   */
  @Test
  void who_may_do_what_is_made_in_one_place() {
    Map.of(
            "dev.mcpbus.security.Admission", "AdmissionControl",
            "dev.mcpbus.security.Rights", "AccessPolicy",
            "dev.mcpbus.security.AuthState", "AccessControl")
        .forEach(
            (made, maker) ->
                noClasses()
                    .that()
                    .doNotHaveSimpleName(maker)
                    .should()
                    .callConstructorWhere(ofClass(made))
                    .because("only " + maker + " makes one")
                    .check(CLASSES));
    noClasses()
        .that()
        .doNotHaveSimpleName("ApiKeys")
        .and()
        .doNotHaveSimpleName("ClaimMapping")
        .and()
        .doNotHaveSimpleName("AccessTokens")
        .and()
        .doNotHaveSimpleName("Principal")
        .should()
        .callConstructor(Principal.class, String.class, NavigableSet.class, boolean.class)
        .because("the admin right comes with a key or a token")
        .check(CLASSES);
    assertThat(Principal.LOCAL.admin()).as("whoever is on this machine").isFalse();
    assertThat(AccessPolicy.WHOLE.isAdmin()).isFalse();
  }

  /** Calls and references alike; a class that reveals no more has to leave the list. */
  @Test
  void a_text_that_may_hold_a_secret_is_revealed_by_those_who_need_it_alone() {
    Set<String> revealing =
        CLASSES.get(Sensitive.class).getMethod("reveal").getAccessesToSelf().stream()
            .map(access -> outermost(access.getOriginOwner()).getName())
            .map(name -> name.substring(ROOT.length() + 1))
            .collect(Collectors.toSet());
    assertThat(revealing)
        .as("classes that call Sensitive.reveal(): let them show *** instead, or say here what for")
        .containsExactlyInAnyOrderElementsOf(
            MAY_REVEAL.values().stream().flatMap(Set::stream).toList());
  }

  private static DescribedPredicate<JavaConstructorCall> ofClass(String name) {
    return DescribedPredicate.describe(
        "of " + name, call -> call.getTargetOwner().getName().equals(name));
  }

  private static JavaClass outermost(JavaClass type) {
    return type.getEnclosingClass().map(GuardedRightsTest::outermost).orElse(type);
  }
}
