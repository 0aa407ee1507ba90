package dev.mcpbus.input;

import dev.mcpbus.bus.Requester;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The offers of callers to answer questions, each with an owner, a name and an end. Connections
 * declare the union of all offers to servers; {@link #answers} decides for one question. Confined
 * to the context of the {@link InputVerticle}; time is passed in.
 */
final class InputOffers {

  /**
   * @param maker null for a program on the bus
   */
  private record OfferKey(@Nullable Requester maker, String name) {}

  /**
   * @param server its id, null for all servers
   * @param until when it expires, in ms of the caller's clock; {@link Long#MAX_VALUE} for never
   */
  private record Offer(@Nullable String server, JsonObject capabilities, long until) {}

  private final Map<OfferKey, Offer> offers = new HashMap<>();
  private final int max;
  private final int share;

  /**
   * @param max number of all offers
   * @param share number of offers of one principal
   */
  InputOffers(int max, int share) {
    this.max = max;
    this.share = share;
  }

  /** Adds or renews an offer; false if there are too many. */
  boolean put(
      @Nullable Requester maker,
      String name,
      @Nullable String server,
      JsonObject capabilities,
      long until) {
    OfferKey key = new OfferKey(maker, name);
    if (!offers.containsKey(key) && (offers.size() >= max || isFull(maker))) {
      return false;
    }
    offers.put(key, new Offer(server, capabilities.copy(), until));
    return true;
  }

  private boolean isFull(@Nullable Requester maker) {
    return maker != null
        && offers.keySet().stream()
                .filter(key -> key.maker() != null && key.maker().name().equals(maker.name()))
                .count()
            >= share;
  }

  /**
   * Removes the offer with this name if {@code requester} made it. An admin and a program remove
   * every offer with this name.
   */
  void remove(@Nullable Requester requester, String name) {
    offers
        .keySet()
        .removeIf(
            key ->
                key.name().equals(name)
                    && Requester.sees(requester, key.maker() == null ? null : key.maker().name()));
  }

  /** Removes expired offers; returns when the next one expires, {@link Long#MAX_VALUE} for none. */
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

  /** Whether a requester that may see the question offers to answer it. */
  boolean answers(InputQuestion question) {
    return offers.entrySet().stream()
        .anyMatch(
            one ->
                Requester.sees(one.getKey().maker(), question.owner())
                    && question.isOf(one.getValue().server())
                    && question.isCovered(one.getValue().capabilities()));
  }

  /**
   * All offers in the form of the request: {@code {offer, capabilities, principal?, id?, ttl?}}.
   */
  JsonArray list(long now) {
    JsonArray list = new JsonArray();
    offers.forEach(
        (key, offer) -> {
          JsonObject one =
              new JsonObject()
                  .put("offer", key.name())
                  .put("capabilities", offer.capabilities().copy());
          if (key.maker() != null) {
            one.put("principal", key.maker().text());
          }
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

  /** The union of the offers: {@code {"all": capabilities, "servers": {id: capabilities}}}. */
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
