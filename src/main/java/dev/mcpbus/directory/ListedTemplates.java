package dev.mcpbus.directory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/**
 * The templates that the servers of a view list. What one server lists does not make the others
 * slow: beyond the bounds here nothing is compared, and a template that was not compared counts as
 * one that collides. Used as {@link ViewUris}, of which it is a part.
 */
final class ListedTemplates {

  /** Templates that are compared with each other. */
  private static final int MAX_TEMPLATES = 1_000;

  /** Characters of all of them: the time grows with number times characters. */
  private static final int MAX_LENGTH = 64 * 1024;

  /** Characters of the listed URIs that one template is compared with. */
  private static final int MAX_SCANNED = 64 * 1024;

  private record ListedTemplate(String server, String text, UriTemplate pattern) {}

  private final List<ListedTemplate> all = new ArrayList<>();

  /** The listed URIs by server, in order. */
  private final Map<String, NavigableSet<String>> uris = new HashMap<>();

  private int length;

  void add(String server, String text) {
    all.add(new ListedTemplate(server, text, new UriTemplate(text)));
    length += text.length();
  }

  int size() {
    return all.size();
  }

  /** Sets the URIs that expansions may be, by the servers that list them. */
  void compareWith(Map<String, Set<String>> owners) {
    if (isCompared()) {
      owners.forEach(
          (uri, servers) ->
              servers.forEach(id -> uris.computeIfAbsent(id, first -> new TreeSet<>()).add(uri)));
    }
  }

  private boolean isCompared() {
    return !all.isEmpty() && all.size() <= MAX_TEMPLATES && length <= MAX_LENGTH;
  }

  /** The servers that list this text as a template. */
  List<String> having(String text) {
    return all.stream()
        .filter(template -> template.text().equals(text))
        .map(ListedTemplate::server)
        .distinct()
        .toList();
  }

  /** Whether one of the server's templates that {@code which} takes may expand to the URI. */
  boolean hasMatching(String server, String uri, Predicate<String> which) {
    return isCompared()
        && all.stream()
            .filter(one -> one.server().equals(server) && which.test(one.text()))
            .anyMatch(one -> one.pattern().matches(uri));
  }

  /**
   * The servers whose template may expand to the URI and has the longest literal beginning. A
   * template that begins with an expression says nothing about a URI.
   */
  Set<String> withLongestPrefix(String uri, Predicate<String> admits) {
    if (!isCompared()) {
      return Set.of();
    }
    TreeMap<Integer, Set<String>> byLength = new TreeMap<>();
    for (ListedTemplate one : all) {
      if (ServerUri.scheme(one.text()) != null
          && one.pattern().matches(uri)
          && admits.test(one.server())) {
        byLength
            .computeIfAbsent(one.pattern().prefix().length(), first -> new LinkedHashSet<>())
            .add(one.server());
      }
    }
    return byLength.isEmpty() ? Set.of() : byLength.lastEntry().getValue();
  }

  /** Whether an expansion of the server's template may be a URI of another server. */
  boolean mayCollide(String server, String template) {
    UriTemplate pattern = new UriTemplate(template);
    return !isCompared()
        || all.stream()
            .filter(one -> !one.server().equals(server))
            .anyMatch(one -> one.pattern().overlaps(pattern))
        || uris.entrySet().stream()
            .anyMatch(of -> !of.getKey().equals(server) && mayBeIn(of.getValue(), pattern));
  }

  private static boolean mayBeIn(NavigableSet<String> uris, UriTemplate pattern) {
    int scanned = 0;
    for (String uri : uris.tailSet(pattern.prefix(), true)) {
      scanned += uri.length();
      if (!uri.startsWith(pattern.prefix())) {
        return false;
      }
      if (scanned > MAX_SCANNED || pattern.matches(uri)) {
        return true;
      }
    }
    return false;
  }
}
