package dev.mcpbus.testing;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * What all tests share. JUnit finds it by {@code META-INF/services}. Awaitility looks at once and
 * every 10 ms; its own 100 ms, before the first look too, would be what most tests wait for.
 */
public final class TestDefaults implements BeforeAllCallback {

  @Override
  public void beforeAll(ExtensionContext context) {
    Awaitility.setDefaultPollDelay(Duration.ZERO);
    Awaitility.setDefaultPollInterval(Duration.ofMillis(10));
  }
}
