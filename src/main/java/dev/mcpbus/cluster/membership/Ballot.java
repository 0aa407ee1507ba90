package dev.mcpbus.cluster.membership;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What one node says of the vote, in each of its announcements and in its file. {@link Electorate}
 * makes and reads it. Immutable.
 *
 * @param token names the node as a voter; it outlives a restart, and ends when the others strike it
 * @param votes whether the grants of this node count
 * @param voters the tokens of those whose grants count for it; of a node that does not vote: those
 *     that it proposes for the first vote
 * @param lost the tokens of voters that were struck, did not leave in order, and have no successor
 * @param gone the tokens of struck voters, the last {@link #REMEMBERED}
 */
public record Ballot(
    String token, boolean votes, Set<String> voters, Set<String> lost, Set<String> gone) {

  /** How many struck voters are remembered. */
  static final int REMEMBERED = 100;

  public Ballot {
    voters = Set.copyOf(voters);
    lost = Set.copyOf(lost);
    gone = Set.copyOf(gone);
  }

  /** The ballot of a node that has no vote and knows of none. */
  static Ballot none(String token) {
    return new Ballot(token, false, Set.of(), Set.of(), Set.of());
  }

  Ballot with(Set<String> otherVoters, Set<String> otherLost, Set<String> otherGone) {
    return new Ballot(token, votes, otherVoters, otherLost, otherGone);
  }

  /** The same with a vote, or without one. */
  Ballot voting(boolean vote) {
    return new Ballot(token, vote, voters, lost, gone);
  }

  /** The size of the cluster that this node believes in, at least {@code least}. */
  int size(int least) {
    return Math.max(least, voters.size() + lost.size());
  }

  public JsonObject toJson() {
    return new JsonObject()
        .put("token", token)
        .put("votes", votes)
        .put("voters", sorted(voters))
        .put("lost", sorted(lost))
        .put("gone", sorted(gone));
  }

  /**
   * Reads what {@link #toJson} writes.
   *
   * @throws ClassCastException or {@code NullPointerException} where it is something else
   */
  public static Ballot of(JsonObject json) {
    return new Ballot(
        Objects.requireNonNull(json.getString("token")),
        json.getBoolean("votes"),
        tokens(json, "voters"),
        tokens(json, "lost"),
        tokens(json, "gone"));
  }

  private static JsonArray sorted(Set<String> tokens) {
    return new JsonArray(List.copyOf(new TreeSet<>(tokens)));
  }

  private static Set<String> tokens(JsonObject json, String member) {
    return json.getJsonArray(member).stream()
        .map(String.class::cast)
        .collect(Collectors.toUnmodifiableSet());
  }
}
