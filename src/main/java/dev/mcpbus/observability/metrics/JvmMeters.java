package dev.mcpbus.observability.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.ClassLoaderMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import org.jspecify.annotations.Nullable;

/**
 * Micrometer's own meters of the JVM and its process. They are made for the first page: their
 * classes and beans would make every start slower. Thread-safe.
 */
final class JvmMeters {

  private final MeterRegistry registry;
  private @Nullable JvmGcMetrics collections;
  private boolean closed;

  JvmMeters(MeterRegistry registry) {
    this.registry = registry;
  }

  /** Idempotent. */
  synchronized void bind() {
    if (collections != null || closed) {
      return;
    }
    JvmGcMetrics listening = new JvmGcMetrics();
    collections = listening;
    listening.bindTo(registry);
    new ClassLoaderMetrics().bindTo(registry);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
  }

  synchronized void close() {
    closed = true;
    if (collections != null) {
      collections.close();
    }
  }
}
