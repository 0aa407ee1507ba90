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
 * What callers offer to answer, each offer under its maker and a name of its own, and for a time.
 * Several offers add up to what servers are told; whose question an offer is good for says {@link
 * #answers}. Owner: the context of the {@link InputVerticle}; time is passed in.
 */
final class InputOffers {

  /**
   * @param maker null for a program on the bus
   */
  private record Key(@Nullable Requester maker, String name) {}

  /**
   * @param server its id, null for all servers
   * @param until when it ends by itself, {@link Long#MAX_VALUE} for never
   */
  private record Offer(@Nullable String server, JsonObject capabilities, long until) {}

  private final Map<Key, Offer> offers = new HashMap<>();
  private final int max;
  private final int share;

  /**
   * @param max in all
   * @param share of one principal at most
   */
  InputOffers(int max, int share) {
    this.max = max;
    this.share = share;
  }

  /** Makes or renews an offer; false where there are too many. */
  boolean put(
      @Nullable Requester maker,
      String name,
      @Nullable String server,
      JsonObject capabilities,
      long until) {
    Key key = new Key(maker, name);
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

  /** Takes back what is {@code who}'s of that name; an admin and a program take back anybody's. */
  void remove(@Nullable Requester who, String name) {
    offers
        .keySet()
        .removeIf(
            key ->
                key.name().equals(name)
                    && Requester.sees(who, key.maker() == null ? null : key.maker().name()));
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

  /** Whether somebody who may see a question offers to answer such. */
  boolean answers(InputQuestion question) {
    return offers.entrySet().stream()
        .anyMatch(
            one ->
                Requester.sees(one.getKey().maker(), question.owner())
                    && question.isOf(one.getValue().server())
                    && question.isCovered(one.getValue().capabilities()));
  }

  /** Each as it was made: {@code {offer, capabilities, principal?, id?, ttl?}}. */
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
