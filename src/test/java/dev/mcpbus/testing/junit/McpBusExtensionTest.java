package dev.mcpbus.testing.junit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.mcpbus.McpBus;
import dev.mcpbus.bus.Addresses;
import dev.mcpbus.client.CallOptions;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.testing.FakeMcpServer;
import dev.mcpbus.testing.TestBus;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/** The extension, used as programs use it. */
@McpBusTest
@SuppressWarnings("NullAway") // the extension sets the fields
class McpBusExtensionTest {

  @FakeServer("git")
  FakeMcpServer git;

  @BeforeEach
  void script(McpBus bus) {
    assertThat(git.connections()).isZero();
    git.tool("status", "clean");
  }

  static String called(McpBus bus, String server, String tool) {
    return TestBus.await(
            bus.server(server)
                .send(
                    Addresses.TOOLS_CALL,
                    TestBus.toolCall(tool, new JsonObject()),
                    CallOptions.DEFAULT))
        .encode();
  }

  @Test
  void a_field_is_a_server_on_the_bus(McpBus bus, McpClient client, Vertx vertx) {
    assertThat(called(bus, "git", "status")).contains("clean");
    git.assertCalls("status", 1);
    assertThat(TestBus.await(client.listServers())).hasSize(1);
    assertThat(vertx.deploymentIDs()).isNotEmpty();
  }

  @Test
  void a_parameter_is_one_too_and_the_same_id_the_same_server(
      McpBus bus,
      @FakeServer("docs") FakeMcpServer docs,
      @FakeServer("git") FakeMcpServer same,
      @FakeServer(value = "later", connect = false) FakeMcpServer later) {
    docs.tool("search", "found");
    Awaitility.await("the bus to hear of the tool")
        .ignoreExceptions()
        .until(() -> called(bus, "docs", "search").contains("found"));
    assertThat(same).isSameAs(git);
    assertThat(later.connections()).isZero();
  }

  @Nested
  class WithinAnotherClass {

    @Test
    void servers_of_the_outer_class_are_there(McpBus bus) {
      assertThat(called(bus, "git", "status")).contains("clean");
    }
  }

  // Run by the tests below alone.

  @McpBusTest
  static class LeavesACall {
    @BeforeEach
    void script(@FakeServer("git") FakeMcpServer git) {
      git.tool("status", "clean").hold("status");
    }

    @Test
    void without_an_answer(McpBus bus, @FakeServer("git") FakeMcpServer git) {
      bus.server("git")
          .send(
              Addresses.TOOLS_CALL,
              TestBus.toolCall("status", new JsonObject()),
              CallOptions.DEFAULT);
      Awaitility.await().until(() -> git.openRequests().size() == 1);
    }
  }

  @McpBusTest
  static class LeavesAProcess {
    @Test
    void that_runs() throws Exception {
      STARTED.add(new ProcessBuilder("sleep", "600").start());
    }
  }

  @McpBusTest
  static class NamesNoServer {
    @Test
    void for_its_parameter(FakeMcpServer which) {}
  }

  @McpBusTest
  @ExtendWith(VertxExtension.class)
  static class BesideVertx {
    @FakeServer("git")
    FakeMcpServer git;

    @Test
    void the_bus_runs_in_its_vertx(McpBus bus, Vertx vertx, VertxTestContext test) {
      git.tool("status", "clean");
      McpClient.create(vertx)
          .server("git")
          .status()
          .onComplete(
              test.succeeding(
                  status ->
                      test.verify(
                          () -> {
                            assertThat(status.state().serves()).isTrue();
                            test.completeNow();
                          })));
    }
  }

  private static final List<Process> STARTED = new ArrayList<>();

  private static List<String> failures(Class<?> tests) {
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request().selectors(selectClass(tests)).build();
    LauncherFactory.create().execute(request, listener);
    assertThat(listener.getSummary().getTestsStartedCount()).isEqualTo(1);
    return listener.getSummary().getFailures().stream()
        .map(failure -> failure.getException().getMessage())
        .toList();
  }

  @Test
  void a_call_without_an_answer_fails_the_test() {
    assertThat(failures(LeavesACall.class))
        .containsExactly("the test has left: git has not answered tools/call status {}");
  }

  @Test
  void a_child_process_that_is_left_fails_the_test() {
    List<String> failures = failures(LeavesAProcess.class);
    STARTED.forEach(Process::destroyForcibly);
    assertThat(failures)
        .containsExactly("the test has left: child processes [" + STARTED.get(0).pid() + "]");
  }

  @Test
  void a_parameter_has_to_say_which_server_it_is() {
    assertThat(failures(NamesNoServer.class).get(0)).contains("@FakeServer(\"its id\")");
  }

  @Test
  void beside_vertx_junit5_the_bus_runs_in_its_vertx() {
    assertThat(failures(BesideVertx.class)).isEmpty();
  }
}
