package dev.mcpbus.directory;

import dev.mcpbus.bus.ListKind;
import dev.mcpbus.protocol.ParamHeaders;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Which server a client's URI leads to, and by which URI a client of one view finds a resource of a
 * server: the two directions of one mapping. No server is asked: a URI leads to one server or to
 * none. Immutable once {@link #of} has returned.
 *
 * <p>A view of one server has the server's own URIs. In any other view a URI has its server's own
 * form where that leads to this server by what the lists say; where it does not, it names its
 * server ({@link ServerUri}). So of a URI that two servers have, each is written with its server,
 * and the plain one leads to none: a server that comes up later takes no URI from another.
 */
public final class ViewUris {

  /** How many URIs an error names at most. */
  private static final int MAX_NAMES = 4;

  /** Templates times characters: above, a URI that no list has names its server. */
  private static final int MAX_TRIED = 5_000;

  /**
   * Where a client's URI leads.
   *
   * @param target null if it leads nowhere
   * @param instead the URIs, one for each server that may be meant; empty if there is none
   */
  public record UriRoute(ViewList.@Nullable Target target, List<String> instead) {

    static final UriRoute NOWHERE = new UriRoute(null, List.of());
  }

  private final DirectoryView view;

  /** The only server, whose URIs are used as they are; null in a view of several. */
  private @Nullable String only;

  private final Set<String> servers = new LinkedHashSet<>();

  /** The servers that list a URI that the view admits, or whose tools or skills name it. */
  private final Map<String, Set<String>> owners = new HashMap<>();

  private final ListedTemplates templates = new ListedTemplates();

  /** The servers whose lists share what is before the path, by it in lower case. */
  private final Map<String, Set<String>> byAuthority = new HashMap<>();

  private final Map<String, Set<String>> byScheme = new HashMap<>();
  private final Set<String> withResources = new LinkedHashSet<>();

  private boolean complete = true;

  /**
   * The servers that may have a URI that names none and that no list has: the first set that is not
   * empty counts. A further step is taken only then, because a template costs more than a look-up.
   */
  private final List<Function<String, Set<String>>> steps =
      List.of(this::withLongestPrefix, this::withAuthority, this::withScheme, uri -> withResources);

  private ViewUris(DirectoryView view) {
    this.view = view;
  }

  static ViewUris of(DirectoryView view, Collection<DirectoryEntry> entries) {
    ViewUris all = new ViewUris(view);
    if (view.isOfOneServer()) {
      all.only = view.options().servers().get(0);
      return all;
    }
    for (DirectoryEntry entry : entries) {
      if (view.includes(entry.id().value())) {
        all.add(entry);
      }
    }
    all.templates.compareWith(all.owners);
    return all;
  }

  private void add(DirectoryEntry entry) {
    String server = entry.id().value();
    servers.add(server);
    ServerList tools = entry.list(ListKind.TOOLS);
    ServerList resources = entry.list(ListKind.RESOURCES);
    ServerList listed = entry.list(ListKind.TEMPLATES);
    if (tools != null) {
      tools.items().forEach(tool -> tool.links().forEach(uri -> addUri(server, uri)));
    }
    ServerList skills = entry.list(ListKind.SKILLS);
    if (skills != null) {
      for (ServerList.Item skill : skills.items()) {
        addUri(server, skill.key());
        skill.links().forEach(uri -> addUri(server, uri));
      }
    }
    if (resources != null) {
      resources.items().forEach(resource -> addUri(server, resource.key()));
    }
    if (listed != null) {
      for (ServerList.Item one : listed.items()) {
        if (view.admits(ListKind.TEMPLATES, server, one.key())) {
          templates.add(server, one.key());
          note(server, one.key());
        }
      }
    }
    complete &=
        !entry.up() || (isKnown(entry, ListKind.RESOURCES) && isKnown(entry, ListKind.TEMPLATES));
    if (entry.resources() || isNotEmpty(resources) || isNotEmpty(listed)) {
      withResources.add(server);
    }
  }

  /** A list that the server has refused counts as known: it may never come. */
  private static boolean isKnown(DirectoryEntry entry, ListKind kind) {
    return entry.list(kind) != null || entry.failures().containsKey(kind);
  }

  private static boolean isNotEmpty(@Nullable ServerList list) {
    return list != null && !list.items().isEmpty();
  }

  private void addUri(String server, String uri) {
    if (view.admits(ListKind.RESOURCES, server, uri)) {
      add(owners, uri, server);
      note(server, uri);
    }
  }

  /** A list of the server has this URI or template. */
  private void note(String server, String text) {
    String scheme = ServerUri.scheme(text);
    String authority = ServerUri.authority(text);
    if (scheme != null) {
      add(byScheme, scheme.toLowerCase(Locale.ROOT), server);
    }
    if (authority != null) {
      add(byAuthority, authority.toLowerCase(Locale.ROOT), server);
    }
  }

  private static void add(Map<String, Set<String>> map, String key, String server) {
    Set<String> present = map.putIfAbsent(key, Set.of(server));
    if (present != null && !present.contains(server)) {
      Set<String> more = new LinkedHashSet<>(present);
      more.add(server);
      map.put(key, more);
    }
  }

  // ---- from a client's URI to a server

  /** Where a client's URI of a resource leads. */
  public UriRoute route(String name) {
    if (only != null) {
      return to(only, name, name);
    }
    ServerUri written = written(name);
    if (written != null) {
      UriRoute named = to(written.server(), written.uri(), name);
      List<String> others = othersThatList(name, written.server());
      if (ServerUri.isUnmistakable(name) || others.isEmpty()) {
        return named;
      }
      if (named.target() != null) {
        List<String> all = new ArrayList<>(List.of(written(written.server(), written.uri())));
        others.forEach(id -> all.add(written(id, name)));
        return new UriRoute(null, all.stream().limit(MAX_NAMES).toList());
      }
    } else if (ServerUri.isUnmistakable(name)) {
      return instead(owners.getOrDefault(name, Set.of()), id -> written(id, name));
    }
    Set<String> listing = owners.get(name);
    if (listing != null) {
      return listing.size() == 1
          ? admitted(listing.iterator().next(), name)
          : instead(listing, id -> written(id, name));
    }
    for (Function<String, Set<String>> step : steps) {
      Set<String> may = step.apply(name);
      List<String> admitted =
          may.stream().filter(id -> view.admits(ListKind.RESOURCES, id, name)).toList();
      if (admitted.size() == 1) {
        return to(admitted.get(0), name, name);
      }
      if (!admitted.isEmpty()) {
        return instead(admitted, id -> written(id, name));
      }
    }
    return UriRoute.NOWHERE;
  }

  /** The other servers that list a URI which names this one, if this one does not list it. */
  private List<String> othersThatList(String name, String server) {
    Set<String> listing = owners.getOrDefault(name, Set.of());
    return listing.contains(server) ? List.of() : List.copyOf(listing);
  }

  /** Where a client's template leads; of one that no list has, where it leads as a URI. */
  public UriRoute template(String name) {
    if (only != null) {
      return to(only, name, name);
    }
    ServerUri written = written(name);
    if (written != null) {
      return to(written.server(), written.uri(), name);
    }
    List<String> having = templates.having(name);
    return switch (having.size()) {
      case 0 -> route(name);
      case 1 ->
          new UriRoute(
              new ViewList.Target(having.get(0), name, name, ParamHeaders.NONE), List.of());
      default -> instead(having, id -> templateName(id, name));
    };
  }

  /** Whether the lists of each server of the view that serves were read, or could not be. */
  public boolean isComplete() {
    return complete;
  }

  /** Whether a list of the view has what a client's URI leads to. */
  public boolean isListed(String name) {
    ViewList.Target target = route(name).target();
    return target != null && lists(target.server(), target.key());
  }

  private UriRoute to(String server, String uri, String name) {
    return view.admits(ListKind.RESOURCES, server, uri)
        ? new UriRoute(new ViewList.Target(server, uri, name, ParamHeaders.NONE), List.of())
        : UriRoute.NOWHERE;
  }

  private static UriRoute admitted(String server, String uri) {
    return new UriRoute(new ViewList.Target(server, uri, uri, ParamHeaders.NONE), List.of());
  }

  /** Whether the view admits this URI of the server, which a list has. */
  boolean admitsListed(String server, String uri) {
    return only == null ? lists(server, uri) : view.admits(ListKind.RESOURCES, server, uri);
  }

  private static UriRoute instead(Collection<String> servers, UnaryOperator<String> name) {
    return new UriRoute(null, servers.stream().limit(MAX_NAMES).map(name).toList());
  }

  /**
   * The server that a URI names, with the server's own URI. Where the server's own URIs begin with
   * the server's id, they name it as they are.
   */
  private @Nullable ServerUri written(String name) {
    ServerUri read = ServerUri.read(name);
    if (read == null || !servers.contains(read.server())) {
      return null;
    }
    if (ServerUri.isUnmistakable(name)) {
      return read;
    }
    String server = read.server();
    boolean own =
        lists(server, name)
            || (isNative(server, name)
                && (!lists(server, read.uri()) || hasMatching(server, name)));
    return own ? new ServerUri(server, name) : read;
  }

  /** Whether the server lists URIs that begin with its id as this one does. */
  private boolean isNative(String server, String name) {
    String authority = ServerUri.authority(name);
    return authority != null
        && authority.endsWith("://" + server)
        && byAuthority.getOrDefault(authority.toLowerCase(Locale.ROOT), Set.of()).contains(server);
  }

  private boolean hasMatching(String server, String name) {
    return templates.hasMatching(server, name, text -> isNative(server, text));
  }

  private boolean lists(String server, String uri) {
    return owners.getOrDefault(uri, Set.of()).contains(server);
  }

  private Set<String> withAuthority(String uri) {
    String authority = ServerUri.authority(uri);
    return authority == null
        ? Set.of()
        : byAuthority.getOrDefault(authority.toLowerCase(Locale.ROOT), Set.of());
  }

  private Set<String> withScheme(String uri) {
    String scheme = ServerUri.scheme(uri);
    return scheme == null
        ? Set.of()
        : byScheme.getOrDefault(scheme.toLowerCase(Locale.ROOT), Set.of());
  }

  private Set<String> withLongestPrefix(String uri) {
    return templates.withLongestPrefix(uri, server -> view.admits(ListKind.RESOURCES, server, uri));
  }

  // ---- from a server's URI to the client's

  /**
   * The URI by which clients find a resource of a server, whether a list has it or not: {@link
   * #route} leads back.
   */
  public String name(String server, String uri) {
    if (only != null || view.options().plainNames() || !servers.contains(server)) {
      return uri;
    }
    String authority = ServerUri.authority(uri);
    if (ServerUri.scheme(uri) == null || (authority != null && authority.indexOf(' ') >= 0)) {
      return written(server, uri); // older clients in Python refuse a list with such a URI
    }
    Set<String> listing = owners.get(uri);
    if (listing != null && !ServerUri.isUnmistakable(uri) && written(uri) == null) {
      return listing.size() == 1 && listing.contains(server) ? uri : written(server, uri);
    }
    boolean certain =
        listing != null || (complete && (long) templates.size() * uri.length() <= MAX_TRIED);
    return certain && !ServerUri.isUnmistakable(uri) && leadsTo(uri, server, uri)
        ? uri
        : written(server, uri);
  }

  /**
   * The name of a skill. It names the server if one of its files has to, because clients check that
   * all files are below the directory of the skill.
   *
   * @param files of the skill; those that the client may not read do not count
   */
  String skillName(String server, String uri, Collection<String> files) {
    String name = name(server, uri);
    boolean plain =
        !name.equals(uri)
            || files.stream()
                .filter(file -> view.admits(ListKind.RESOURCES, server, file))
                .allMatch(file -> name(server, file).equals(file));
    return plain ? name : written(server, uri);
  }

  /**
   * As {@link #name(String, String)}, where the client may have a URI of its own for it.
   *
   * @param preferred is returned if it leads to the resource
   */
  public String name(String server, String uri, String preferred) {
    return leadsTo(preferred, server, uri) ? preferred : name(server, uri);
  }

  /**
   * The names of several resources of one server.
   *
   * @param written whether each names the server, as the files of a skill do whose own URI does
   */
  public UnaryOperator<String> renaming(String server, boolean written) {
    return written ? uri -> written(server, uri) : uri -> name(server, uri);
  }

  private String written(String server, String uri) {
    String name = ServerUri.of(server, uri);
    ServerUri read = written(name);
    return read != null && read.uri().equals(uri) && othersThatList(name, server).isEmpty()
        ? name
        : ServerUri.unmistakable(server, uri);
  }

  private boolean leadsTo(String name, String server, String uri) {
    ViewList.Target target = route(name).target();
    return target != null && target.server().equals(server) && target.key().equals(uri);
  }

  /** The template by whose expansions clients find the resources of a server. */
  String templateName(String server, String template) {
    if (only != null || view.options().plainNames() || !servers.contains(server)) {
      return template;
    }
    if (isNative(server, template) || !collides(server, template)) {
      return template;
    }
    String name = ServerUri.of(server, template);
    return isNative(server, name) ? ServerUri.unmistakable(server, template) : name;
  }

  /** Whether an expansion may be a URI of another server, or one that names a server. */
  private boolean collides(String server, String template) {
    return written(template) != null
        || mayNameServer(template)
        || templates.mayCollide(server, template);
  }

  /** Whether an expansion may look like a URI that names a server of the view. */
  private boolean mayNameServer(String template) {
    String scheme = ServerUri.scheme(template);
    if (scheme == null) {
      return template.startsWith("{");
    }
    String rest = template.substring(scheme.length() + 1);
    if (!rest.startsWith("//")) {
      return rest.startsWith("{+") || rest.startsWith("{#");
    }
    String authority = rest.substring(2);
    int brace = authority.indexOf('{');
    int slash = authority.indexOf('/');
    if (brace < 0 || (slash >= 0 && slash < brace)) {
      return slash >= 0 && servers.contains(authority.substring(0, slash));
    }
    boolean hasPath =
        authority.indexOf('/', authority.indexOf('}', brace)) >= 0
            || authority.startsWith("{+", brace)
            || authority.startsWith("{#", brace)
            || authority.startsWith("{/", brace);
    return hasPath && servers.stream().anyMatch(id -> id.startsWith(authority.substring(0, brace)));
  }
}
