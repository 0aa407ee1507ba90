package dev.mcpbus.observability.metrics;

import dev.mcpbus.bus.MetricsPage;
import dev.mcpbus.internals.AcceptedTypes;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.OutputStream;
import java.util.AbstractSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes the page on a worker. At most one page of each form is written at a time: a request that
 * comes meanwhile gets the same page, so that many requests cost no more than one. Any thread may
 * call.
 */
final class PageWriter implements MetricsPage {

  static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
  static final String OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

  private final Vertx vertx;
  private final PrometheusMeterRegistry registry;
  private final JvmMeters jvm;
  private final Map<PageForm, Future<MetricsText>> writing = new HashMap<>();

  /** How long the last page was: the next one gets its memory at once. */
  private volatile int length = 16 * 1024;

  PageWriter(Vertx vertx, PrometheusMeterRegistry registry, JvmMeters jvm) {
    this.vertx = vertx;
    this.registry = registry;
    this.jvm = jvm;
  }

  @Override
  public synchronized Future<MetricsText> write(@Nullable String accept, boolean principals) {
    PageForm form = new PageForm(type(accept), principals);
    Future<MetricsText> present = writing.get(form);
    if (present != null) {
      return present;
    }
    Future<MetricsText> page = vertx.executeBlocking(() -> text(form), false);
    writing.put(form, page);
    page.onComplete(written -> forget(form));
    return page;
  }

  private MetricsText text(PageForm form) throws IOException {
    jvm.bind();
    Buffer page = Buffer.buffer(length + length / 8);
    AppendingStream stream = new AppendingStream(page);
    if (form.principals()) {
      registry.scrape(stream, form.type());
    } else {
      registry.scrape(stream, form.type(), new AllButPrincipals());
    }
    length = page.length();
    return new MetricsText(form.type(), page);
  }

  /** What makes two pages differ that are written at the same time. */
  private record PageForm(String type, boolean principals) {}

  /** The names of all metrics but that of principals: the registry asks only what it contains. */
  private static final class AllButPrincipals extends AbstractSet<String> {

    @Override
    public boolean contains(@Nullable Object name) {
      return !StateCollector.CALLER_REQUESTS.equals(name);
    }

    @Override
    public Iterator<String> iterator() {
      throw new UnsupportedOperationException();
    }

    @Override
    public int size() {
      return Integer.MAX_VALUE;
    }
  }

  /** Appends to a buffer: the page of thousands of servers is in memory once. */
  private static final class AppendingStream extends OutputStream {

    private final Buffer page;

    AppendingStream(Buffer page) {
      this.page = page;
    }

    @Override
    public void write(int octet) {
      page.appendByte((byte) octet);
    }

    @Override
    public void write(byte[] octets, int from, int count) {
      page.appendBytes(octets, from, count);
    }
  }

  private synchronized void forget(PageForm form) {
    writing.remove(form);
  }

  /** OpenMetrics for a client that names it, else the older text. */
  private static String type(@Nullable String accept) {
    return AcceptedTypes.of(accept).names("application/openmetrics-text")
        ? OPEN_METRICS
        : PROMETHEUS;
  }
}
