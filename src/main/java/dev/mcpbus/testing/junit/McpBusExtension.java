package dev.mcpbus.testing.junit;

import dev.mcpbus.McpBus;
import dev.mcpbus.client.McpClient;
import dev.mcpbus.testing.FakeMcpServer;
import io.vertx.core.Vertx;
import java.lang.reflect.Field;
import java.lang.reflect.Parameter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;

/** See {@link McpBusTest}. JUnit calls it on the thread of the test; it blocks. */
final class McpBusExtension
    implements BeforeEachCallback,
        BeforeTestExecutionCallback,
        AfterEachCallback,
        ParameterResolver {

  private static final Namespace SPACE = Namespace.create(McpBusExtension.class);
  private static final String VERTX_EXTENSION = "io.vertx.junit5.VertxExtension";
  private static final Set<Class<?>> OURS = Set.of(McpBus.class, McpClient.class);

  @Override
  public void beforeEach(ExtensionContext context) throws Exception {
    boolean theirs = hasVertxExtension(context);
    Vertx vertx = theirs ? vertxOfExtension(context) : Vertx.vertx();
    TestedBus tested =
        new TestedBus(
            vertx,
            !theirs,
            options(context),
            context.getExecutionMode() == ExecutionMode.SAME_THREAD);
    context.getStore(SPACE).put(TestedBus.class, tested);
    for (Object instance : context.getRequiredTestInstances().getAllInstances()) {
      for (Field field :
          AnnotationSupport.findAnnotatedFields(
              instance.getClass(),
              FakeServer.class,
              field -> true,
              HierarchyTraversalMode.TOP_DOWN)) {
        if (field.getType() != FakeMcpServer.class) {
          throw new ExtensionConfigurationException(
              "@FakeServer stands at a FakeMcpServer, not at " + field);
        }
        field.setAccessible(true);
        field.set(instance, tested.fake(field.getAnnotation(FakeServer.class)));
      }
    }
  }

  private static McpBus.Options options(ExtensionContext context) {
    String config =
        AnnotationSupport.findAnnotation(context.getTestClass(), McpBusTest.class)
            .map(McpBusTest::config)
            .orElse("");
    return config.isEmpty() ? McpBus.Options.of() : McpBus.Options.of(Path.of(config));
  }

  @Override
  public void beforeTestExecution(ExtensionContext context) {
    tested(context).begin();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    TestedBus tested = context.getStore(SPACE).get(TestedBus.class, TestedBus.class);
    if (tested != null) { // else it did not start
      tested.end();
    }
  }

  private static TestedBus tested(ExtensionContext context) {
    return Optional.ofNullable(context.getStore(SPACE).get(TestedBus.class, TestedBus.class))
        .orElseThrow(() -> new ParameterResolutionException("there is a bus in each test alone"));
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return context.getTestMethod().isPresent()
        && (OURS.contains(type)
            || type == FakeMcpServer.class
            || (type == Vertx.class && !hasVertxExtension(context)));
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    TestedBus tested = tested(context);
    Class<?> type = parameter.getParameter().getType();
    if (type == FakeMcpServer.class) {
      return tested.fake(
          parameter
              .findAnnotation(FakeServer.class)
              .orElseThrow(
                  () ->
                      new ParameterResolutionException(
                          "say which server it is: @FakeServer(\"its id\") FakeMcpServer ...")));
    }
    return type == McpBus.class
        ? tested.bus()
        : type == McpClient.class ? tested.bus().client() : tested.vertx();
  }

  // ---- vertx-junit5

  private static boolean hasVertxExtension(ExtensionContext context) {
    for (Class<?> type = context.getRequiredTestClass();
        type != null;
        type = type.getEnclosingClass()) {
      if (AnnotationSupport.findRepeatableAnnotations(type, ExtendWith.class).stream()
          .flatMap(each -> Arrays.stream(each.value()))
          .anyMatch(each -> each.getName().equals(VERTX_EXTENSION))) {
        return true;
      }
    }
    return false;
  }

  /** The Vert.x that the other extension gives to the test, and closes. */
  private static Vertx vertxOfExtension(ExtensionContext context)
      throws ReflectiveOperationException {
    ClassLoader loader = context.getRequiredTestClass().getClassLoader();
    ParameterResolver other =
        Class.forName(VERTX_EXTENSION, true, loader)
            .asSubclass(ParameterResolver.class)
            .getConstructor()
            .newInstance();
    Parameter vertx =
        McpBusExtension.class.getDeclaredMethod("takes", Vertx.class).getParameters()[0];
    Object made =
        other.resolveParameter(
            new ParameterContext() {
              @Override
              public Parameter getParameter() {
                return vertx;
              }

              @Override
              public int getIndex() {
                return 0;
              }

              @Override
              public Optional<Object> getTarget() {
                return Optional.empty();
              }
            },
            context);
    return (Vertx) Objects.requireNonNull(made);
  }

  /** Has the parameter that the other extension is asked for. */
  @SuppressWarnings("unused")
  private static void takes(Vertx vertx) {}
}
