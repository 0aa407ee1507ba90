package dev.mcpbus.input;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What callers offer to answer, each offer under a name of its own and for a time. Several offers
 * add up. Owner: the context of the {@link InputVerticle}; time is passed in.
 */
final class Offers {

  /**
   * @param server its id, null for all servers
   * @param until when it ends by itself, {@link Long#MAX_VALUE} for never
   */
  private record Offer(@Nullable String server, JsonObject capabilities, long until) {}

  private final Map<String, Offer> offers = new HashMap<>();
  private final int max;

  Offers(int max) {
    this.max = max;
  }

  /** Makes or renews an offer; false where there are too many. */
  boolean put(String name, @Nullable String server, JsonObject capabilities, long until) {
    if (offers.size() >= max && !offers.containsKey(name)) {
      return false;
    }
    offers.put(name, new Offer(server, capabilities.copy(), until));
    return true;
  }

  void remove(String name) {
    offers.remove(name);
  }

  /** Drops what has ended; the next end, {@link Long#MAX_VALUE} for none. */
  long sweep(long now) {
    long next = Long.MAX_VALUE;
    Iterator<Offer> all = offers.values().iterator();
    while (all.hasNext()) {
      long until = all.next().until();
      if (until <= now) {
        all.remove();
      } else {
        next = Math.min(next, until);
      }
    }
    return next;
  }

  /** Each as it was made: {@code {offer, capabilities, id?, ttl?}}, with the time that is left. */
  JsonArray list(long now) {
    JsonArray list = new JsonArray();
    offers.forEach(
        (name, offer) -> {
          JsonObject one =
              new JsonObject().put("offer", name).put("capabilities", offer.capabilities().copy());
          if (offer.server() != null) {
            one.put("id", offer.server());
          }
          if (offer.until() != Long.MAX_VALUE) {
            one.put("ttl", Math.max(1, offer.until() - now));
          }
          list.add(one);
        });
    return list;
  }

  /** {@code {"all": capabilities, "servers": {id: capabilities}}}. */
  JsonObject toJson() {
    JsonObject all = new JsonObject();
    Map<String, JsonObject> byServer = new TreeMap<>();
    for (Offer offer : offers.values()) {
      JsonObject into =
          offer.server() == null
              ? all
              : byServer.computeIfAbsent(offer.server(), id -> new JsonObject());
      into.mergeIn(offer.capabilities(), true);
    }
    JsonObject servers = new JsonObject();
    byServer.forEach(servers::put);
    return new JsonObject().put("all", all).put("servers", servers);
  }
}
