package dev.mcpbus.cluster.membership;

import io.vertx.core.Future;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Whose grants count, and how many a node needs ({@code "quorum": "majority of N"}): more than half
 * of the largest size at which the cluster was steady. {@link QuorumLease} counts the grants. Every
 * node may own connections while enough voters grant it that; so a node without a vote lacks
 * nothing, and a vote can wait until giving it is safe. Decision 10 has the reasons.
 *
 * <p>The rules. <b>First vote</b>: where nobody votes, the node with the lowest token proposes the
 * nodes that it sees, when they are a majority of N and have been the same for {@link
 * #FIRST_MILLIS}; each proposes once in its life, never after it has heard of voters, and votes
 * when a majority proposes the same. <b>Add</b>: the voter with the lowest token adds a node that
 * has been there for {@link #STEADY_MILLIS}, one at a time, while all voters are there and agree;
 * the others follow it, and the node votes when the list of every voter is the same and has it.
 * <b>Strike</b>: a voter that may act strikes one that has been absent for {@link #ABSENT_MILLIS}.
 * It grants that token nothing any more, and the size stays; a node that hears that it was struck
 * begins anew with another token. <b>Lower</b>: a struck voter that had left in order counts no
 * more, once every voter has struck it. <b>Yield</b>: voters that have nothing to do with each
 * other, because they started apart, become one cluster again when they meet. What a node announces
 * is on its disk before.
 *
 * <p>Any thread may call.
 */
public final class Electorate {

  static final long FIRST_MILLIS = 2_000;
  static final long STEADY_MILLIS = 10_000;
  static final long ABSENT_MILLIS = 30_000;

  private final String self;
  private final LongSupplier clock;
  private final int least;
  private final long silenceMillis;
  private final Supplier<String> tokens;
  private final Function<Ballot, Future<Void>> store;

  /** The last ballot of each other node that is a member. Guarded by this, as all that follows. */
  private final Map<String, Ballot> heard = new HashMap<>();

  /** By node the token that it announced last. */
  private final Map<String, String> lastToken = new HashMap<>();

  /** Since when the token of another node is there without a break. */
  private final Map<String, Long> presentSince = new HashMap<>();

  /** Since when a voter is not there. */
  private final Map<String, Long> absentSince = new HashMap<>();

  /** Tokens of voters that have said that they leave, and have not come back. */
  private final Set<String> left = new HashSet<>();

  private Ballot ballot;

  /** A vote of an earlier life of this node counts only from then on. */
  private long voteFrom;

  private Set<String> seenLast = Set.of();
  private long seenSince;
  private boolean writing;
  private volatile VoteCount count;

  /**
   * Whose grants count now.
   *
   * @param voters by the id of a node its token
   * @param quorum how many of them this node needs
   * @param size the largest size at which the cluster was steady
   */
  public record VoteCount(Map<String, String> voters, int quorum, int size) {}

  /**
   * @param self the id of this node
   * @param clock monotonic milliseconds
   * @param least N of {@code majority of N}
   * @param silenceMillis how long a grant holds
   * @param tokens makes a new token, a different one each time
   * @param store keeps a ballot beyond the end of the process, before it is announced
   */
  public Electorate(
      String self,
      LongSupplier clock,
      int least,
      long silenceMillis,
      Supplier<String> tokens,
      Function<Ballot, Future<Void>> store) {
    this.self = self;
    this.clock = clock;
    this.least = least;
    this.silenceMillis = silenceMillis;
    this.tokens = tokens;
    this.store = store;
    this.ballot = Ballot.none(tokens.get());
    this.seenSince = clock.getAsLong();
    this.count = new VoteCount(Map.of(), least / 2 + 1, least);
  }

  /** Goes on with the ballot of an earlier life. Its grants of that life may not have ended yet. */
  public synchronized void resume(Ballot kept) {
    ballot = kept;
    voteFrom = clock.getAsLong() + silenceMillis + 1;
    recount();
  }

  /** Whether this node has started again, and its vote does not count yet. */
  public synchronized boolean isResuming() {
    return ballot.votes() && !isVoting();
  }

  /** What this node announces now. */
  public synchronized Ballot ballot() {
    return ballot.voting(isVoting());
  }

  private boolean isVoting() {
    return ballot.votes() && clock.getAsLong() >= voteFrom;
  }

  public VoteCount count() {
    return count;
  }

  /** Takes the ballot of an announcement, before its grants count. */
  public synchronized void heard(String node, @Nullable Ballot other) {
    if (node.equals(self)) {
      return;
    }
    if (other == null) {
      heard.remove(node);
    } else {
      heard.values().removeIf(earlier -> earlier.token().equals(other.token()));
      heard.put(node, other);
      lastToken.put(node, other.token());
      left.remove(other.token());
    }
    recount();
  }

  /** A node is no member any more. */
  public synchronized void lost(String node, boolean orderly) {
    heard.remove(node);
    String token = lastToken.remove(node);
    boolean isBack = heard.values().stream().anyMatch(one -> one.token().equals(token));
    if (token != null && orderly && !isBack) {
      left.add(token);
    }
    left.removeIf(one -> !ballot.voters().contains(one) && !ballot.lost().contains(one));
    recount();
  }

  /** Whether this node may grant a node the right to act. */
  public synchronized boolean mayGrant(String node) {
    Ballot other = heard.get(node);
    return other == null
        || !ballot.votes()
        || (!ballot.gone().contains(other.token())
            && (!other.votes() || ballot.voters().contains(other.token())));
  }

  /**
   * Looks whether the vote has to change; called with each tick.
   *
   * @param alive the members that this node sees
   * @param grants how many grants it holds
   */
  public synchronized void step(Set<String> alive, int grants) {
    long now = clock.getAsLong();
    heard.keySet().retainAll(alive);
    Map<String, Ballot> present = new TreeMap<>();
    heard.values().forEach(one -> present.put(one.token(), one));
    keep(presentSince, present.keySet(), now);
    Set<String> absent = new HashSet<>(ballot.voters());
    absent.removeAll(present.keySet());
    absent.remove(ballot.token());
    keep(absentSince, absent, now);
    if (!present.keySet().equals(seenLast)) {
      seenLast = Set.copyOf(present.keySet());
      seenSince = now;
    }
    recount();
    if (writing) {
      return;
    }
    Ballot next =
        isStruck(present.values()) || yields(present, grants)
            ? Ballot.none(tokens.get())
            : isVoting() ? ofVoter(present, grants, now) : ofOther(present, now);
    if (!next.equals(ballot)) {
      writing = true;
      store.apply(next).onComplete(written -> written(next, written.succeeded()));
    }
  }

  private static void keep(Map<String, Long> since, Collection<String> tokens, long now) {
    since.keySet().retainAll(tokens);
    tokens.forEach(token -> since.putIfAbsent(token, now));
  }

  /** What is not on the disk is not said; the next tick tries again. */
  private synchronized void written(Ballot next, boolean kept) {
    writing = false;
    if (kept) {
      ballot = next;
      recount();
    }
  }

  private boolean isStruck(Collection<Ballot> present) {
    return present.stream().anyMatch(one -> one.gone().contains(ballot.token()));
  }

  /**
   * Whether this node gives up its vote for voters that it has nothing to do with: nodes that
   * started apart from the cluster, or that have replaced all others while this one was away. Those
   * that may not act do, and of two sides that may the one without the lowest token.
   */
  private boolean yields(Map<String, Ballot> present, int grants) {
    Set<String> own = new TreeSet<>(count.voters().values());
    return isVoting()
        && present.values().stream()
            .filter(other -> other.votes() && !other.voters().contains(ballot.token()))
            .filter(other -> !ballot.voters().contains(other.token()))
            .anyMatch(
                other -> {
                  Set<String> theirs = new TreeSet<>(other.voters());
                  theirs.removeIf(token -> !isVoter(present.get(token), other.token()));
                  return theirs.size() > other.size(least) / 2
                      && (own.isEmpty()
                          || grants < count.quorum()
                          || theirs.iterator().next().compareTo(own.iterator().next()) < 0);
                });
  }

  private static boolean isVoter(@Nullable Ballot one, String of) {
    return one != null && one.votes() && one.voters().contains(of);
  }

  /** How many of how many voters grant this node the right to act, for people. */
  public synchronized String describe(int grants) {
    VoteCount now = count;
    boolean elsewhere =
        ballot.votes()
            && heard.values().stream()
                .anyMatch(one -> one.votes() && !ballot.voters().contains(one.token()));
    return grants
        + " of the "
        + now.size()
        + " nodes of its largest steady size (at least "
        + least
        + ", by \"majority of "
        + least
        + "\") are there and have a vote, and "
        + now.quorum()
        + " are needed"
        + (elsewhere
            ? "; nodes are there that vote for other nodes: if the vote.json of this node was"
                + " copied or is of another cluster, end the node and remove the file"
            : "");
  }

  // ---- a node without a vote

  private Ballot ofOther(Map<String, Ballot> present, long now) {
    if (ballot.votes()) {
      return ballot; // of an earlier life, and counts in a moment
    }
    Set<String> mine = ballot.voters();
    boolean may = mine.isEmpty() || mine.contains(ballot.token());
    boolean adopts = false;
    @Nullable Ballot follows = null;
    for (Ballot other : present.values()) {
      Set<String> list = other.voters();
      boolean isListed = list.contains(ballot.token());
      if (other.votes() && isListed && agree(list, present)) {
        return new Ballot(ballot.token(), true, list, commonLost(list, present), allGone(present));
      }
      if (other.votes() && (follows == null || isListed)) {
        // Who has heard of voters never begins a vote without them.
        adopts = isListed ? may : mine.isEmpty() || !may;
        follows = adopts ? ballot.with(list, Set.of(), Set.of()) : ballot;
      }
    }
    if (follows == null) {
      return mine.isEmpty() ? proposal(present, now) : firstVote(present);
    }
    return adopts && follows.voters().equals(mine) ? firstVote(present) : follows;
  }

  private Ballot proposal(Map<String, Ballot> present, long now) {
    for (Ballot other : present.values()) {
      if (!other.voters().isEmpty()) {
        return other.voters().contains(ballot.token())
            ? ballot.with(other.voters(), Set.of(), Set.of())
            : ballot; // the first vote comes without this node, which is added later
      }
    }
    Set<String> all = new TreeSet<>(present.keySet());
    all.add(ballot.token());
    boolean first = all.iterator().next().equals(ballot.token());
    return first && all.size() > least / 2 && now - seenSince >= FIRST_MILLIS
        ? ballot.with(all, Set.of(), Set.of())
        : ballot;
  }

  private Ballot firstVote(Map<String, Ballot> present) {
    Set<String> mine = ballot.voters();
    long same =
        1
            + present.values().stream()
                .filter(one -> mine.contains(one.token()) && one.voters().equals(mine))
                .count();
    return mine.contains(ballot.token()) && same > ballot.size(least) / 2
        ? ballot.voting(true)
        : ballot;
  }

  // ---- a voter

  private Ballot ofVoter(Map<String, Ballot> present, int grants, long now) {
    Set<String> voters = new HashSet<>(ballot.voters());
    Set<String> lost = new HashSet<>(ballot.lost());
    Set<String> gone = new HashSet<>(ballot.gone());
    if (grants >= count.quorum()) {
      absentSince.forEach(
          (token, since) -> {
            if (now - since >= ABSENT_MILLIS && voters.remove(token)) {
              lost.add(token);
              remember(gone, token);
            }
          });
    }
    for (Ballot other : present.values()) {
      if (other.votes() && voters.contains(other.token())) {
        other.voters().stream()
            .filter(token -> present.containsKey(token) && !gone.contains(token))
            .forEach(token -> add(token, voters, lost));
      }
    }
    if (agree(voters, present) && voters.equals(ballot.voters())) {
      lost.retainAll(commonLost(voters, present));
      lost.removeAll(left);
      if (areAllThere(voters, present) && isLowest(voters)) {
        // One that votes by a list without these voters would take their votes away.
        present.values().stream()
            .filter(one -> !one.votes())
            .map(Ballot::token)
            .filter(token -> !voters.contains(token) && !gone.contains(token))
            .filter(token -> now - presentSince.getOrDefault(token, now) >= STEADY_MILLIS)
            .filter(token -> grants > Math.max(ballot.size(least), voters.size() + 1) / 2)
            .findFirst()
            .ifPresent(token -> add(token, voters, lost));
      }
    }
    return ballot.with(voters, lost, gone);
  }

  /** A node that is added takes the place of one that is lost. */
  private static void add(String token, Set<String> voters, Set<String> lost) {
    if (voters.add(token) && !lost.isEmpty()) {
      lost.remove(new TreeSet<>(lost).first());
    }
  }

  private static void remember(Set<String> gone, String token) {
    if (gone.size() >= Ballot.REMEMBERED) {
      gone.remove(gone.iterator().next());
    }
    gone.add(token);
  }

  private boolean isLowest(Set<String> voters) {
    return new TreeSet<>(voters).first().equals(ballot.token());
  }

  // ---- both

  /** Whether each of {@code list} is there and has the same list. */
  private boolean agree(Set<String> list, Map<String, Ballot> present) {
    return allOthers(list, present, other -> other.voters().equals(list));
  }

  private boolean areAllThere(Set<String> list, Map<String, Ballot> present) {
    return allOthers(list, present, Ballot::votes);
  }

  private boolean allOthers(
      Set<String> list, Map<String, Ballot> present, Predicate<Ballot> holds) {
    return list.stream()
        .filter(token -> !token.equals(ballot.token()))
        .map(present::get)
        .allMatch(other -> other != null && holds.test(other));
  }

  /** The lost of all of {@code list}: one that any of them has replaced or let go is none. */
  private Set<String> commonLost(Set<String> list, Map<String, Ballot> present) {
    Set<String> common = null;
    for (String token : list) {
      Ballot other = present.get(token);
      if (other != null && other.votes()) {
        if (common == null) {
          common = new HashSet<>(other.lost());
        } else {
          common.retainAll(other.lost());
        }
      }
    }
    return common == null ? ballot.lost() : common;
  }

  /** The struck of all voters: who is struck hears of it from their successors, too. */
  private static Set<String> allGone(Map<String, Ballot> present) {
    return present.values().stream()
        .filter(Ballot::votes)
        .flatMap(one -> one.gone().stream())
        .distinct()
        .limit(Ballot.REMEMBERED)
        .collect(Collectors.toSet());
  }

  /**
   * Whose grants count: voters that no other voter has struck, and that stand on the list of each
   * voter that is there; the largest size of these counts.
   */
  private void recount() {
    Map<String, Ballot> voting = new HashMap<>();
    heard.forEach(
        (node, one) -> {
          if (one.votes()) {
            voting.put(node, one);
          }
        });
    if (isVoting()) {
      voting.put(self, ballot);
      voting.values().removeIf(one -> !ballot.voters().contains(one.token()));
    }
    Set<String> struck = new HashSet<>();
    voting.values().forEach(one -> struck.addAll(one.gone()));
    voting.values().removeIf(one -> struck.contains(one.token()));
    int size = Math.max(least, ballot.votes() ? ballot.size(least) : 0);
    Map<String, String> voters = new HashMap<>();
    for (Ballot view : voting.values()) {
      size = Math.max(size, view.size(least));
    }
    voting.forEach(
        (node, one) -> {
          if (voting.values().stream().allMatch(view -> view.voters().contains(one.token()))) {
            voters.put(node, one.token());
          }
        });
    count = new VoteCount(Map.copyOf(voters), size / 2 + 1, size);
  }
}
