package dev.mcpbus.testing.junit;

import dev.mcpbus.protocol.PublicApi;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A field or a parameter of the type {@code FakeMcpServer} in a class with {@link McpBusTest}: a
 * new server for each test, under this id on its bus. A field is set before the {@code @BeforeEach}
 * methods run, which may script it; a parameter of a test method is connected at once. Two with the
 * same id are the same server.
 */
@PublicApi
@Documented
@Target({ElementType.FIELD, ElementType.PARAMETER})
@Retention(RetentionPolicy.RUNTIME)
public @interface FakeServer {

  /** The id of the server. */
  String value();

  /** False where the test itself adds the server to the bus. */
  boolean connect() default true;
}
