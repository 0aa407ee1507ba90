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
 * The definition that each pinned tool of one connection must have. A pin stays when its tool
 * vanishes: the tool comes back with the same definition, or is quarantined. Pins outlive sessions,
 * and in their store the process. Owner: the connection's context.
 */
public final class DefinitionPins {

  private static final Logger LOG = LoggerFactory.getLogger(DefinitionPins.class);

  /** The most pins, so that a server cannot fill memory and file with new names. */
  static final int MAX = 10_000;

  /** Of a longer definition, in characters, only the hash is kept. */
  private static final int MAX_DEFINITION = 16 * 1024;

  /**
   * One pin.
   *
   * @param definition its canonical text, null where it was too long, or not listed yet
   * @param configured the configured hash that this pin replaced by approval, null on first use: a
   *     pin with another hash than the configuration is ignored
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

  /** Changes with each new pin. */
  long generation() {
    return generation;
  }

  /** True where there is a pin of an earlier list. */
  boolean hasPins() {
    return !pins.isEmpty();
  }

  /** Loads the pins. Always succeeds; if the store failed, no definition is pinned on first use. */
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

  /** The pin of a tool, null where the tool is free or was not listed yet. */
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

  /** False where the tool has a pin with another definition, or must have a pin and has none. */
  boolean admits(String tool, Definition definition) {
    if (!covers(tool)) {
      return true;
    }
    Pin pin = of(tool);
    return pin != null && pin.hash().equals(definition.hash());
  }

  /** The names of the tools in {@code list} that must not be called. */
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
   * Pins the tools that are listed for the first time, and keeps the text of definitions whose
   * hashes are configured. Pins nothing if the store could not be read: the tool may not be new.
   */
  void pinNew(ToolDefinitions list) {
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
   * Pins the tools to these definitions.
   *
   * @return false where the pins could not be saved, so that they end with the process
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

  /** The problem with the store, null where there is none. */
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
