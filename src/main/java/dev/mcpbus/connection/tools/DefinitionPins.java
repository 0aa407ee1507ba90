package dev.mcpbus.connection.tools;

import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.connection.options.PinOptions;
import dev.mcpbus.connection.options.PinStore;
import dev.mcpbus.connection.tools.ToolDefinitions.Definition;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which definition each tool of one connection must have. A pin stays when its tool vanishes: it
 * comes back as it was, or is quarantined. Outlives sessions, and by its store the process. Owner:
 * the connection's context.
 */
public final class DefinitionPins {

  private static final Logger LOG = LoggerFactory.getLogger(DefinitionPins.class);

  /** A server that makes up names for ever fills neither memory nor file. */
  static final int MAX = 10_000;

  /** A longer definition is remembered by its hash alone. */
  private static final int MAX_DEFINITION = 16 * 1024;

  /**
   * One pin.
   *
   * @param definition its canonical text, null where it was too long or never seen
   * @param configured the configured hash that this one was approved instead of, null on first use:
   *     where the configuration says another, it decides anew
   */
  record Pin(String hash, @Nullable String definition, @Nullable String configured) {

    JsonObject toJson() {
      JsonObject json = new JsonObject().put("hash", hash);
      if (definition != null) {
        json.put("definition", definition);
      }
      return configured == null ? json : json.put("configured", configured);
    }

    static @Nullable Pin of(@Nullable Object json) {
      return json instanceof JsonObject pin && pin.getValue("hash") instanceof String hash
          ? new Pin(
              hash,
              pin.getValue("definition") instanceof String text ? text : null,
              pin.getValue("configured") instanceof String text ? text : null)
          : null;
    }
  }

  private final ConnectionId id;
  private final PinOptions options;
  private final PinStore store;
  private final Map<String, Pin> pins = new TreeMap<>();
  private @Nullable String unreadable;
  private @Nullable String unsaved;
  private long generation;

  public DefinitionPins(ConnectionId id, PinOptions options, PinStore store) {
    this.id = id;
    this.options = options;
    this.store = store;
  }

  boolean isActive() {
    return options.isActive();
  }

  PinOptions options() {
    return options;
  }

  /** Changes with every pin. */
  long generation() {
    return generation;
  }

  /** True where something is remembered of an earlier list. */
  boolean remembers() {
    return !pins.isEmpty();
  }

  /** Reads what is remembered; always succeeds, and where that failed nothing new is trusted. */
  public Future<Void> load() {
    if (!isActive()) {
      return Future.succeededFuture();
    }
    return store
        .load(id)
        .map(
            remembered -> {
              remembered.forEach(
                  entry -> {
                    Pin pin = Pin.of(entry.getValue());
                    if (pin != null) {
                      pins.put(entry.getKey(), pin);
                    }
                  });
              return null;
            })
        .<Void>mapEmpty()
        .otherwise(
            failure -> {
              unreadable = String.valueOf(failure.getMessage());
              LOG.error("connection {}: its pins cannot be read: {}", id, unreadable);
              return null;
            });
  }

  /** What a tool must be, null where it is free or was never seen. */
  @Nullable Pin of(String tool) {
    Pin remembered = pins.get(tool);
    if (options.firstUse()) {
      return remembered;
    }
    String configured = options.hashes().get(tool);
    if (configured == null) {
      return null;
    }
    return remembered != null && configured.equals(remembered.configured())
        ? remembered
        : new Pin(configured, null, configured);
  }

  boolean covers(String tool) {
    return options.firstUse() || options.hashes().containsKey(tool);
  }

  /** False where the tool is pinned to another definition, or must be pinned and could not be. */
  boolean admits(String tool, Definition definition) {
    if (!covers(tool)) {
      return true;
    }
    Pin pin = of(tool);
    return pin != null && pin.hash().equals(definition.hash());
  }

  /** The tools of a list that are not admitted. */
  Set<String> quarantined(ToolDefinitions list) {
    Set<String> names = new LinkedHashSet<>();
    if (isActive()) {
      list.byName()
          .forEach(
              (name, definition) -> {
                if (!admits(name, definition)) {
                  names.add(name);
                }
              });
    }
    return names;
  }

  /**
   * Pins what is seen for the first time, and remembers how a configured definition reads. Trusts
   * nothing where the memory could not be read: the tool may not be new at all.
   */
  void firstSight(ToolDefinitions list) {
    if (!isActive() || unreadable != null) {
      return;
    }
    boolean changed = false;
    for (Map.Entry<String, Definition> entry : list.byName().entrySet()) {
      String tool = entry.getKey();
      Definition definition = entry.getValue();
      String configured = options.hashes().get(tool);
      boolean isNew =
          options.firstUse()
              ? !pins.containsKey(tool)
              : definition.hash().equals(configured) && !isRemembered(tool, configured);
      if (isNew && (pins.size() < MAX || pins.containsKey(tool))) {
        put(tool, definition);
        changed = true;
      }
    }
    if (changed) {
      save();
    }
  }

  private boolean isRemembered(String tool, @Nullable String configured) {
    Pin pin = pins.get(tool);
    return pin != null && pin.configured() != null && pin.configured().equals(configured);
  }

  /**
   * These definitions hold from now on.
   *
   * @return false where that will be forgotten with the process, because it could not be saved
   */
  Future<Boolean> approve(Map<String, Definition> approved) {
    approved.forEach(this::put);
    return unreadable == null ? save() : Future.succeededFuture(false);
  }

  private void put(String tool, Definition definition) {
    String text = definition.canonical();
    String kept = text.length() <= MAX_DEFINITION ? text : null;
    pins.put(tool, new Pin(definition.hash(), kept, options.hashes().get(tool)));
    generation++;
  }

  private Future<Boolean> save() {
    JsonObject all = new JsonObject();
    pins.forEach((tool, pin) -> all.put(tool, pin.toJson()));
    return store
        .save(id, all)
        .map(
            saved -> {
              unsaved = null;
              return true;
            })
        .otherwise(
            failure -> {
              unsaved = String.valueOf(failure.getMessage());
              LOG.warn("connection {}: its pins are kept in memory alone: {}", id, unsaved);
              return false;
            });
  }

  /** What is wrong with the memory, null where nothing is. */
  @Nullable String problem() {
    return unreadable != null
        ? "the pins cannot be read: " + unreadable
        : unsaved == null ? null : "the pins cannot be saved: " + unsaved;
  }

  /** {@code none}, {@code first-use} or {@code listed}. */
  String mode() {
    return !isActive() ? "none" : options.firstUse() ? "first-use" : "listed";
  }
}
