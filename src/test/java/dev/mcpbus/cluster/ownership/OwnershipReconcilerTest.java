package dev.mcpbus.cluster.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.mcpbus.cluster.membership.ClusterMembers;
import dev.mcpbus.cluster.membership.ClusterNode;
import dev.mcpbus.internals.InternalContext;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Several reconcilers over one map, each on a context of its own, in one process. */
@ExtendWith(VertxExtension.class)
class OwnershipReconcilerTest {

  private static final OwnershipOptions QUICK =
      new OwnershipOptions(
          Duration.ofMillis(10),
          Duration.ofMillis(30),
          Duration.ofSeconds(20),
          Duration.ofSeconds(4),
          Duration.ofSeconds(8),
          Duration.ofMillis(10),
          Duration.ofSeconds(60),
          0,
          0);

  private final Map<String, OwnershipClaim> map = new ConcurrentHashMap<>();
  private final Set<String> alive = ConcurrentHashMap.newKeySet();
  private final List<Site> sites = new CopyOnWriteArrayList<>();
  private Vertx vertx;
  private volatile int replicas = 1;
  private volatile OwnershipOptions options = QUICK;

  private final Map<String, Set<String>> labels = new ConcurrentHashMap<>();

  /** Lost nodes that may still run. */
  private final Set<String> open = ConcurrentHashMap.newKeySet();

  /** Lost nodes whose grants of another member have not ended. */
  private final Set<String> stillGranted = ConcurrentHashMap.newKeySet();

  /** Nodes with a link that was silent for a moment; nobody knows whether it is cut. */
  private final Set<String> late = ConcurrentHashMap.newKeySet();

  private final Set<String> withCutLink = ConcurrentHashMap.newKeySet();

  /** Nodes that must own nothing any more. */
  private final Set<String> draining = ConcurrentHashMap.newKeySet();

  /** While set: claims wait for it, and are made then. */
  private volatile @Nullable Promise<Void> claiming;

  /** While set: what was read before arrives only then. */
  private volatile @Nullable Promise<Void> reading;

  private final AtomicLong readings = new AtomicLong();

  /** Members whose doors are not open yet. */
  private volatile List<ClusterNode> opening = List.of();

  @BeforeEach
  void on(Vertx made) {
    vertx = made;
  }

  /** One node: the connections that it runs, and its events in order. */
  private final class Site
      implements ClusterMembers, ClaimStore, OwnershipListener, OwnershipPeers {
    private final String name;
    private final Set<String> serves = ConcurrentHashMap.newKeySet();
    private final List<String> events = new CopyOnWriteArrayList<>();
    private final Map<String, BooleanSupplier> rights = new ConcurrentHashMap<>();
    private final AtomicLong slept = new AtomicLong();

    /** The number of readings that get no answer. */
    private final AtomicLong hangs = new AtomicLong();

    private volatile boolean cut;
    private volatile boolean resting;
    private final Set<String> reachable = ConcurrentHashMap.newKeySet();

    /** The number of grants of this node; 0 for as many as there are members. */
    private volatile int grants;

    private volatile @Nullable OwnershipReconciler placement;
    private volatile Runnable beforeGrants = () -> {};
    private final InternalContext context = InternalContext.create(vertx);

    Site(String name) {
      this.name = name;
      alive.add(name);
      sites.add(this);
      vertx.runOnContext(
          go -> {
            OwnershipReconciler made =
                new OwnershipReconciler(
                    context,
                    options,
                    this,
                    this,
                    this,
                    this,
                    () -> System.nanoTime() / 1_000_000 + slept.get());
            placement = made;
            Map<String, PlacementSpec> wishes = new HashMap<>();
            for (int i = 0; i < 20; i++) {
              wishes.put("s" + i, new PlacementSpec(Set.of(), replicas));
            }
            made.place(wishes);
            made.start();
          });
    }

    @Nullable String whyBound() throws Exception {
      Promise<@Nullable String> why = Promise.promise();
      vertx.runOnContext(go -> Objects.requireNonNull(placement).whyBound().onComplete(why));
      return why.future().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    Optional<String> placeFor(String... wanted) throws Exception {
      Promise<Optional<String>> place = Promise.promise();
      vertx.runOnContext(
          go ->
              Objects.requireNonNull(placement)
                  .placeFor("lease", Set.of(wanted))
                  .onComplete(place));
      return place.future().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @Override
    public String self() {
      return name;
    }

    @Override
    public Set<String> alive() {
      return new HashSet<>(alive);
    }

    @Override
    public Future<Boolean> hasClosedItsBusPort(String node) {
      return Future.succeededFuture(!open.contains(node));
    }

    @Override
    public List<ClusterNode> opening() {
      return opening;
    }

    @Override
    public Future<List<ClusterNode>> nodes() {
      return Future.succeededFuture(members());
    }

    @Override
    public Future<Map<String, OwnershipClaim>> all() {
      if (hangs.getAndDecrement() > 0) {
        return Promise.<Map<String, OwnershipClaim>>promise().future();
      }
      Map<String, OwnershipClaim> read = new HashMap<>(map);
      readings.incrementAndGet();
      Promise<Void> late = reading;
      return cut
          ? Future.failedFuture("no quorum")
          : late == null ? Future.succeededFuture(read) : late.future().map(read);
    }

    @Override
    public Future<Boolean> replace(
        String id, @Nullable OwnershipClaim expected, OwnershipClaim next) {
      Promise<Void> late = claiming;
      return (late == null ? Future.<Void>succeededFuture() : late.future())
          .map(
              now ->
                  expected == null
                      ? map.putIfAbsent(id, next) == null
                      : map.replace(id, expected, next));
    }

    @Override
    public Future<Void> own(String id, long epoch, BooleanSupplier held) {
      // The invariant of all tests: no other node runs it.
      sites.stream()
          .filter(other -> other.serves.contains(id) && alive.contains(other.name))
          .forEach(other -> events.add("DOUBLE " + id + " with " + other.name));
      serves.add(id);
      rights.put(id, held);
      events.add("take " + id + " " + epoch);
      return Future.succeededFuture();
    }

    @Override
    public Future<Void> disown(String id, boolean drain) {
      events.add((drain ? "drain " : "kill ") + id);
      String server = server(id);
      if (replicas > 1
          && sites.stream()
              .filter(other -> other != this)
              .noneMatch(
                  other -> other.serves.stream().anyMatch(one -> server(one).equals(server)))) {
        events.add("BARE " + server);
      }
      return vertx.timer(5).map(done -> serves.remove(id)).mapEmpty();
    }

    @Override
    public void beforeGrants(Runnable check) {
      beforeGrants = check;
    }

    @Override
    public void announceSelf(boolean rests) {
      resting = rests;
    }

    @Override
    public int grants() {
      return grants > 0 ? grants : alive.size();
    }

    @Override
    public int gaveUp(String node, Set<String> members) {
      return stillGranted.contains(node) ? 1 : members.size();
    }

    @Override
    public void keepInformed(String node) {
      reachable.add(node);
    }

    @Override
    public boolean isWhole(String node) {
      return !late.contains(node) && !isCut(node);
    }

    @Override
    public boolean isCut(String node) {
      return withCutLink.contains(node);
    }

    @Override
    public boolean isQuorumLost(Throwable failure) {
      return "no quorum".equals(failure.getMessage());
    }

    @Override
    public void leaving() {}

    @Override
    public boolean isLeaving(String node) {
      return draining.contains(node);
    }

    @Override
    public boolean isServing(String key) {
      return sites.stream().anyMatch(one -> one.serves.contains(key));
    }

    @Override
    public void claimed(String id, OwnershipClaim claim) {}

    @Override
    public void serving(String id, OwnershipClaim claim) {}

    @Override
    public void released(String id, OwnershipClaim claim) {}
  }

  private List<ClusterNode> members() {
    return alive.stream()
        .map(one -> new ClusterNode(one, one, 1, labels.getOrDefault(one, Set.of())))
        .toList();
  }

  private void settled(Site... all) {
    Awaitility.await("every server to be served once")
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              List<String> served = new ArrayList<>();
              for (Site site : all) {
                served.addAll(site.serves);
                assertThat(site.serves).as(site.name).isNotEmpty();
                site.serves.forEach(
                    id -> {
                      assertThat(map.get(id)).matches(c -> c != null && c.isOf(site.name));
                      // Nothing moves any more.
                      assertThat(RendezvousHash.owner(id, members(), Set.of()))
                          .get()
                          .extracting(ClusterNode::id)
                          .isEqualTo(site.name);
                    });
              }
              assertThat(served).hasSize(20).doesNotHaveDuplicates();
            });
    sites.forEach(site -> assertThat(site.events).noneMatch(each -> each.startsWith("DOUBLE")));
  }

  @Test
  void a_node_that_joined_after_the_last_pass_is_a_place_and_the_own_node_comes_first()
      throws Exception {
    Site a = new Site("a");
    settled(a);
    a.hangs.set(Long.MAX_VALUE); // no pass ends from here on
    assertThat(a.placeFor("gpu")).isEmpty();
    labels.put("b", Set.of("gpu", "ssd"));
    alive.add("b");
    assertThat(a.placeFor("gpu", "ssd")).contains("b");
    labels.put("a", Set.of("gpu"));
    assertThat(a.placeFor("gpu", "tpu")).isEmpty(); // reads the nodes anew
    assertThat(a.placeFor("gpu")).contains("a");
    assertThat(a.placeFor("gpu", "ssd")).contains("b");
  }

  @Test
  void three_nodes_share_what_there_is_and_a_join_drains_what_moves() {
    Site a = new Site("a");
    settled(a);
    Site b = new Site("b");
    settled(a, b);
    assertThat(a.events).noneMatch(each -> each.startsWith("kill"));
    assertThat(a.events).filteredOn(each -> each.startsWith("drain")).hasSameSizeAs(b.serves);
    Site c = new Site("c");
    settled(a, b, c);
  }

  @Test
  void a_drained_node_hands_over_what_it_owns_and_takes_nothing_new() throws Exception {
    Site a = new Site("a");
    settled(a);
    assertThat(a.whyBound()).contains("the only node");
    Site b = new Site("b");
    Site c = new Site("c");
    settled(a, b, c);
    assertThat(b.whyBound()).isNull();
    int owned = b.serves.size();
    b.events.clear();
    draining.add("b");
    Awaitility.await().until(() -> a.serves.size() + c.serves.size() == 20);
    assertThat(b.serves).isEmpty();
    assertThat(b.events).hasSize(owned).allMatch(each -> each.startsWith("drain"));
    assertThat(a.whyBound()).isNull();
    draining.add("c");
    assertThat(a.whyBound()).contains("the only node");
    Awaitility.await().until(() -> a.serves.size() == 20);
    assertThat(b.events).hasSize(owned);
    sites.forEach(site -> assertThat(site.events).noneMatch(each -> each.startsWith("DOUBLE")));
  }

  private static String server(String key) {
    return key.replaceFirst("#.*", "");
  }

  /** Waits until {@code each} nodes run each of the servers. */
  private void replicated(int each, Site... all) {
    Awaitility.await("every server to be served by " + each)
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () -> {
              List<String> served = new ArrayList<>();
              for (Site site : all) {
                List<String> here =
                    site.serves.stream().map(OwnershipReconcilerTest::server).toList();
                assertThat(here).as(site.name).doesNotHaveDuplicates();
                served.addAll(here);
              }
              assertThat(served).hasSize(20 * each);
            });
    for (Site site : all) {
      assertThat(site.events)
          .noneMatch(event -> event.startsWith("DOUBLE") || event.startsWith("BARE"));
    }
  }

  @Test
  void replicas_are_on_different_nodes_and_a_join_or_a_loss_leaves_one_that_serves() {
    replicas = 2;
    Site a = new Site("a");
    replicated(1, a);
    Site b = new Site("b");
    replicated(2, a, b);
    Set<String> kept = new TreeSet<>(a.serves);
    assertThat(a.events).as("nothing moves for a replica more").noneMatch(e -> e.startsWith("dr"));
    Site c = new Site("c");
    replicated(2, a, b, c);
    Awaitility.await().until(() -> !c.serves.isEmpty());
    assertThat(kept).containsAll(a.serves);
    alive.remove("c");
    b.events.clear();
    replicated(2, a, b);
  }

  @Test
  void what_a_lost_node_owned_is_taken_with_a_higher_epoch() {
    Site a = new Site("a");
    Site b = new Site("b");
    settled(a, b);
    Set<String> orphans = new TreeSet<>(b.serves);
    Map<String, OwnershipClaim> before = new HashMap<>(map);
    alive.remove("b");
    Awaitility.await().until(() -> a.serves.containsAll(orphans));
    for (String id : orphans) {
      OwnershipClaim old = before.getOrDefault(id, new OwnershipClaim(null, 0));
      assertThat(a.events).contains("take " + id + " " + (old.epoch() + 1));
    }
  }

  @Test
  void a_reading_that_went_to_a_lost_node_is_made_again() {
    Site a = new Site("a");
    Site b = new Site("b");
    settled(a, b);
    Set<String> orphans = new TreeSet<>(b.serves);
    b.cut = true;
    a.hangs.set(1);
    alive.remove("b");
    OwnershipReconciler placement = a.placement;
    assertThat(placement).isNotNull();
    if (placement != null) {
      placement.lost("b", false);
    }
    Awaitility.await().until(() -> a.serves.containsAll(orphans));
  }

  @Test
  void a_reading_whose_answer_is_lost_is_repeated_although_no_node_is_lost() {
    Site a = new Site("a");
    settled(a);
    a.hangs.set(2);
    Awaitility.await().until(() -> a.hangs.get() <= 0);
    map.put("s3", new OwnershipClaim("zombie", 9));
    alive.add("zombie");
    Awaitility.await().until(() -> a.events.contains("kill s3"));
    assertThat(a.events).doesNotContain("kill s4");
  }

  @Test
  void a_lost_node_that_is_reachable_gets_time_to_notice_its_loss() {
    Site a = new Site("a");
    Site b = new Site("b");
    settled(a, b);
    Set<String> orphans = new TreeSet<>(b.serves);
    open.add("b");
    b.cut = true;
    long lost = System.nanoTime();
    alive.remove("b");
    Awaitility.await().until(() -> a.serves.containsAll(orphans));
    assertThat((System.nanoTime() - lost) / 1_000_000)
        .isGreaterThanOrEqualTo(LostNodes.GRACE_MILLIS);
  }

  @Test
  void nothing_is_claimed_while_a_member_lets_a_lost_node_act() {
    options = QUICK.withQuorum(2);
    Site a = new Site("a");
    Site b = new Site("b");
    Site c = new Site("c");
    settled(a, b, c);
    assertThat(a.resting).isFalse();
    open.add("c");
    stillGranted.add("c");
    c.cut = true;
    long lost = System.nanoTime();
    alive.remove("c");
    Awaitility.await().until(() -> a.reachable.contains("c"));
    Awaitility.await("it has had its second")
        .until(() -> System.nanoTime() - lost > 1.5e6 * LostNodes.GRACE_MILLIS);
    assertThat(map.values()).anyMatch(claim -> claim.isOf("c"));
    stillGranted.clear();
    settled(a, b);
  }

  @Test
  void a_node_that_has_ended_all_says_that_it_rests() {
    options = QUICK.withQuorum(2);
    Site a = new Site("a");
    Site b = new Site("b");
    settled(a, b);
    assertThat(a.resting).isFalse();
    a.grants = 1;
    Awaitility.await().until(() -> a.resting);
    assertThat(a.serves).isEmpty();
  }

  @Test
  void a_node_that_sees_too_few_members_stops_whatever_grants_it_holds() {
    options = QUICK.withQuorum(2);
    Site a = new Site("a");
    Site b = new Site("b");
    settled(a, b);
    a.grants = 2;
    alive.remove("b");
    Awaitility.await().until(() -> a.serves.isEmpty());
    assertThat(a.events).filteredOn(event -> event.startsWith("kill")).isNotEmpty();
  }

  @Test
  void a_node_without_a_quorum_kills_what_it_serves_and_takes_it_anew_afterwards() {
    Site a = new Site("a");
    settled(a);
    a.cut = true;
    Awaitility.await().until(() -> a.serves.isEmpty());
    assertThat(a.events).filteredOn(each -> each.startsWith("kill")).hasSize(20);
    assertThat(a.rights.values()).noneMatch(BooleanSupplier::getAsBoolean);
    a.cut = false;
    settled(a);
    assertThat(map.values()).allMatch(claim -> claim.epoch() == 2);
  }

  @Test
  void a_node_that_has_slept_may_not_act_before_it_has_looked() {
    Site a = new Site("a");
    settled(a);
    BooleanSupplier right = a.rights.getOrDefault("s0", () -> false);
    assertThat(right.getAsBoolean()).isTrue();
    a.cut = true;
    a.slept.set(5_000);
    assertThat(right.getAsBoolean()).isFalse();
    Awaitility.await().until(() -> a.events.contains("kill s0"));
    assertThat(right.getAsBoolean()).isFalse();
  }

  @Test
  void neither_a_busy_process_nor_a_slow_reading_ends_what_other_nodes_vouch_for() {
    Site a = new Site("a");
    Site b = new Site("b");
    settled(a, b);
    BooleanSupplier right = a.rights.getOrDefault(a.serves.iterator().next(), () -> false);
    a.hangs.set(Long.MAX_VALUE);
    a.slept.set(60_000);
    long readings = a.hangs.get();
    Awaitility.await("two more readings").until(() -> a.hangs.get() <= readings - 2);
    assertThat(right.getAsBoolean()).isTrue();
    assertThat(a.events).noneMatch(event -> event.startsWith("kill"));
  }

  @Test
  void what_no_node_owns_waits_for_a_member_that_is_about_to_open() {
    ClusterNode soon = new ClusterNode("b", "b", 1, Set.of());
    opening = List.of(soon);
    Site a = new Site("a");
    List<ClusterNode> both = List.of(soon, members().get(0));
    Awaitility.await().until(() -> !a.serves.isEmpty());
    long before = readings.get();
    Awaitility.await("two passes more").until(() -> readings.get() > before + 1);
    assertThat(a.serves)
        .isNotEmpty()
        .allMatch(id -> RendezvousHash.owner(id, both, Set.of()).orElseThrow().id().equals("a"));
    opening = List.of(); // it takes too long
    settled(a);
    opening = List.of(soon);
    long later = readings.get();
    Awaitility.await("two passes more").until(() -> readings.get() > later + 1);
    assertThat(a.events).as("nothing is handed over to it").noneMatch(e -> e.startsWith("drain"));
  }

  @Test
  void a_node_with_a_cut_link_gets_nothing_handed_over_until_the_link_is_whole() {
    Site a = new Site("a");
    settled(a);
    withCutLink.add("b");
    Site b = new Site("b");
    long before = readings.get();
    Awaitility.await("passes that see b").until(() -> readings.get() > before + 6);
    assertThat(a.serves).hasSize(20);
    assertThat(b.serves).isEmpty();
    withCutLink.clear();
    Awaitility.await("b has its share").until(() -> !b.serves.isEmpty());
    settled(a, b);
  }

  @Test
  void what_nobody_owns_does_not_wait_for_a_node_with_a_cut_link() {
    alive.add("b"); // a member that claims nothing
    withCutLink.add("b");
    Site a = new Site("a");
    Awaitility.await("a owns all").until(() -> a.serves.size() == 20);
    withCutLink.clear();
    Site b = new Site("b");
    settled(a, b);
  }

  @Test
  void what_nobody_owns_waits_for_a_node_that_is_only_late() {
    alive.add("b"); // a member that claims nothing yet
    late.add("b");
    Site a = new Site("a");
    Awaitility.await("a has its share").until(() -> !a.serves.isEmpty());
    long before = readings.get();
    Awaitility.await("passes more").until(() -> readings.get() > before + 6);
    late.clear();
    Site b = new Site("b");
    settled(a, b);
    assertThat(a.events).noneMatch(event -> event.startsWith("drain"));
  }

  @Test
  void a_reading_that_is_older_than_a_claim_does_not_end_what_was_claimed() {
    Promise<Void> claims = Promise.promise();
    Promise<Void> stale = Promise.promise();
    claiming = claims;
    Site a = new Site("a");
    Awaitility.await("the first pass has read").until(() -> readings.get() >= 1);
    reading = stale;
    long before = readings.get();
    Awaitility.await("the next pass reads").until(() -> readings.get() > before);
    claiming = null;
    vertx.runOnContext(now -> claims.complete());
    Awaitility.await("what was on its way is claimed").until(() -> a.serves.size() == 20);
    reading = null;
    long after = readings.get();
    vertx.runOnContext(now -> stale.complete());
    Awaitility.await("two passes more").until(() -> readings.get() > after + 1);
    assertThat(a.events).noneMatch(event -> event.startsWith("kill"));
    settled(a);
  }

  @Test
  void a_node_that_slept_through_its_loss_ends_all_before_new_grants_count() {
    options =
        new OwnershipOptions(
            Duration.ofHours(1), // no tick sees the lapse
            Duration.ofMillis(30),
            Duration.ofSeconds(20),
            Duration.ofSeconds(4),
            Duration.ofSeconds(8),
            Duration.ofMillis(10),
            Duration.ofSeconds(60),
            2,
            0);
    Site a = new Site("a");
    Site b = new Site("b");
    Objects.requireNonNull(Awaitility.await().until(() -> a.placement, Objects::nonNull))
        .reconcile();
    Awaitility.await().until(() -> !a.serves.isEmpty());
    BooleanSupplier right = a.rights.getOrDefault(a.serves.iterator().next(), () -> false);
    a.grants = 1;
    Promise<Void> checked = Promise.promise();
    a.context.run(
        () -> {
          a.beforeGrants.run();
          checked.complete();
        });
    Awaitility.await("the check").until(checked.future()::isComplete);
    a.grants = 2;
    assertThat(right.getAsBoolean()).as("what it owned before its loss").isFalse();
    assertThat(a.events).anyMatch(event -> event.startsWith("kill"));
    assertThat(b.events).noneMatch(event -> event.startsWith("kill"));
  }

  @Test
  void what_another_claims_ends_at_once() {
    Site a = new Site("a");
    settled(a);
    alive.add("zombie");
    map.put("s3", new OwnershipClaim("zombie", 9));
    Awaitility.await().until(() -> a.events.contains("kill s3"));
    assertThat(map.get("s3")).isEqualTo(new OwnershipClaim("zombie", 9));
  }

  @Test
  void a_node_that_closes_releases_each_claim_after_the_drain() {
    Site a = new Site("a");
    settled(a);
    OwnershipReconciler placement = a.placement;
    assertThat(placement).isNotNull();
    if (placement != null) {
      vertx.runOnContext(go -> placement.close());
    }
    Awaitility.await()
        .untilAsserted(() -> assertThat(map.values()).hasSize(20).allMatch(c -> c.node() == null));
    assertThat(a.serves).isEmpty();
    assertThat(a.events).filteredOn(each -> each.startsWith("drain")).hasSize(20);
  }
}
