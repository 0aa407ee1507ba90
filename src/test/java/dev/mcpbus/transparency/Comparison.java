package dev.mcpbus.transparency;

import dev.mcpbus.transparency.AllowedDifferences.Pair;
import dev.mcpbus.transparency.Heard.Kind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Two direct dialogs and one through the gateway. What differs between the direct ones, such as a
 * time, may differ in the third; nothing else may.
 */
final class Comparison {

  /** One thing that came in another way through the gateway. */
  record Difference(String about, String direct, String gateway) {

    private static final int BEFORE = 60;
    private static final int AFTER = 500;

    /** Both texts around the place from which on they differ. */
    @Override
    public String toString() {
      int at = 0;
      while (at < Math.min(direct.length(), gateway.length())
          && direct.charAt(at) == gateway.charAt(at)) {
        at++;
      }
      return about
          + "\n  direct:  "
          + from(direct, at)
          + "\n  gateway: "
          + from(gateway, at)
          + "\n";
    }

    private static String from(String text, int at) {
      int from = Math.max(0, at - BEFORE);
      int to = Math.min(text.length(), at + AFTER);
      return (from > 0 ? "... " : "")
          + text.substring(from, to)
          + (to < text.length() ? " ..." : "");
    }
  }

  private final List<Heard> first;
  private final List<Heard> second;
  private final List<Heard> gateway;
  private final boolean sameEra;
  private final boolean discoverClient;
  private final AllowedDifferences allowed;
  private final Set<String> varying = new TreeSet<>();
  private final List<Difference> found = new ArrayList<>();

  Comparison(
      List<Heard> first,
      List<Heard> second,
      List<Heard> gateway,
      boolean sameEra,
      boolean discoverClient,
      AllowedDifferences allowed) {
    this.sameEra = sameEra;
    this.discoverClient = discoverClient;
    this.allowed = allowed;
    this.first = comparable(first);
    this.second = comparable(second);
    this.gateway = comparable(gateway);
  }

  /**
   * A client of 2026-07-28 gets the log messages of its calls alone. That a list has changed counts
   * once: the gateway says so once more where the client's own connection is opened after the
   * client began to listen, which depends on how busy the machine is.
   */
  private List<Heard> comparable(List<Heard> all) {
    Set<String> changes = new HashSet<>();
    return all.stream()
        .filter(one -> !one.method().endsWith("/list_changed") || changes.add(one.method()))
        .filter(one -> sameEra || !RealServer.OF_ONE_ERA.contains(one.method()))
        .filter(one -> sameEra || !discoverClient || !one.isLogOfStart())
        .toList();
  }

  /** What the direct dialogs do not agree in, and what is therefore not compared. */
  Set<String> varying() {
    return varying;
  }

  List<Difference> differences() {
    compare(Heard::isAnswer, Heard::step);
    compare(one -> one.kind() == Kind.QUESTION, one -> "question " + one.method());
    compare(one -> one.kind() == Kind.NOTIFICATION, Heard::method);
    return found;
  }

  /** Those of a kind, group by group, in the order of their arrival. */
  private void compare(Predicate<Heard> kind, Function<Heard, String> group) {
    Set<String> groups = new LinkedHashSet<>();
    List.of(first, gateway)
        .forEach(all -> all.stream().filter(kind).map(group).forEach(groups::add));
    for (String name : groups) {
      List<Heard> one = in(first, kind, group, name);
      List<Heard> two = in(second, kind, group, name);
      List<Heard> three = in(gateway, kind, group, name);
      if (one.size() != two.size()) {
        varying.add(name + ": how many");
        continue;
      }
      if (one.size() != three.size()) {
        found.add(new Difference(name, texts(one), texts(three)));
        continue;
      }
      for (int i = 0; i < one.size(); i++) {
        compare(name, one.get(i), two.get(i), three.get(i));
      }
    }
  }

  private static List<Heard> in(
      List<Heard> all, Predicate<Heard> kind, Function<Heard, String> group, String name) {
    return all.stream().filter(kind).filter(one -> group.apply(one).equals(name)).toList();
  }

  private static String texts(List<Heard> all) {
    return String.join("\n", all.stream().map(one -> one.kind() + " " + one.bytes()).toList());
  }

  private void compare(String name, Heard one, Heard two, Heard three) {
    if (one.kind() != three.kind()) {
      found.add(new Difference(name, one.kind() + " " + one.bytes(), texts(List.of(three))));
      return;
    }
    Pair direct = sameEra ? Pair.SAME_ERA : discoverClient ? Pair.OTHER_ERA : Pair.OF_NEWER_SERVER;
    String a = allowed.strip(one.method(), one.bytes(), direct);
    String b = allowed.strip(two.method(), two.bytes(), direct);
    Pair passed = direct == Pair.OF_NEWER_SERVER ? Pair.TO_OLDER_CLIENT : direct;
    String c = allowed.strip(three.method(), three.bytes(), passed);
    if (a.equals(b)) {
      if (!a.equals(c)) {
        found.add(new Difference(name, a, c));
      }
    } else if (b.isEmpty() || c.isEmpty() || a.isEmpty()) {
      varying.add(name);
    } else if (!agree(name, RawTree.parse(a), RawTree.parse(b), RawTree.parse(c))) {
      found.add(new Difference(name, a, c));
    }
  }

  /** Whether the third is as the first two, but for values in which these differ themselves. */
  private boolean agree(String path, RawTree a, RawTree b, RawTree c) {
    if (a.text().equals(b.text())) {
      return a.text().equals(c.text());
    }
    boolean sameShape =
        a.kind() == b.kind()
            && Objects.equals(a.names(), b.names())
            && a.values().size() == b.values().size();
    if (!sameShape || a.values().isEmpty()) {
      varying.add(path);
      return true;
    }
    if (!a.names().equals(c.names()) || a.values().size() != c.values().size()) {
      return false;
    }
    boolean same = true;
    for (int i = 0; i < a.values().size(); i++) {
      String below = path + "/" + (a.isObject() ? a.names().get(i) : String.valueOf(i));
      same &= agree(below, a.values().get(i), b.values().get(i), c.values().get(i));
    }
    return same;
  }
}
