package dev.mcpbus.testing.junit;

import dev.mcpbus.protocol.PublicApi;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Each test of the class has a {@code McpBus} of its own and the servers that {@link FakeServer}
 * declares, all connected when the test method begins. Test methods, {@code @BeforeEach} and
 * {@code @AfterEach} methods may have parameters of the types {@code McpBus}, {@code McpClient},
 * {@code Vertx} and, with {@link FakeServer}, {@code FakeMcpServer}.
 *
 * <pre>{@code
 * @McpBusTest
 * class ReviewTest {
 *   @FakeServer("git") FakeMcpServer git;
 *
 *   @BeforeEach
 *   void script() {
 *     git.tool("status", "clean");
 *   }
 *
 *   @Test
 *   void the_review_asks_git(McpBus bus) {
 *     bus.server("git").callTool("status", Map.of()).await();
 *   }
 * }
 * }</pre>
 *
 * <p>After the test all is closed. The test fails where it leaves something: a call without an
 * answer, a connection that does not end, a child process. Beside the {@code VertxExtension} of
 * vertx-junit5 the bus runs in the {@code Vertx} of that extension.
 */
@PublicApi
@Documented
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(McpBusExtension.class)
public @interface McpBusTest {

  /** A configuration file to start with; empty for none. */
  String config() default "";
}
