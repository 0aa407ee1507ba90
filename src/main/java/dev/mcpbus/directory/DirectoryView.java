package dev.mcpbus.directory;

import dev.mcpbus.bus.CallerFacts;
import dev.mcpbus.bus.ListKind;
import dev.mcpbus.bus.RoutingName;
import dev.mcpbus.bus.ToolName;
import dev.mcpbus.policy.PolicyCheck;
import dev.mcpbus.policy.PolicyFilter;
import dev.mcpbus.protocol.Glob;
import dev.mcpbus.protocol.RawJson;
import dev.mcpbus.protocol.UriForms;
import dev.mcpbus.security.AccessPolicy;
import dev.mcpbus.security.Action;
import dev.mcpbus.security.Operation;
import dev.mcpbus.security.Rights;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The selection, the names and the rights with which a client of one path sees the directory.
 * Immutable.
 *
 * @param name the path after {@code /mcp/}; empty for {@code /mcp} itself
 * @param server whether {@code name} is the only server of this view, with its own names
 * @param rights of the client; an entry that it may not use does not exist for it
 * @param caller whose lists of servers of callers it has; null where there is no such server
 */
public record DirectoryView(
    String name, boolean server, ViewOptions options, Rights rights, @Nullable CallerFacts caller) {

  /** Characters; longer names match no glob, because its time grows with the name. */
  private static final int MAX_NAME = 4_096;

  // Each request has a view: the options of the common ones are made once.
  private static final ViewOptions ALL = everything(List.of(), false);
  private static final ViewOptions ALL_AND_UNKNOWN = everything(List.of(), true);

  /** A view without a caller. */
  public DirectoryView(String name, boolean server, ViewOptions options, Rights rights) {
    this(name, server, options, rights, null);
  }

  static DirectoryView all(Rights rights, boolean passUnknown) {
    return new DirectoryView("", false, passUnknown ? ALL_AND_UNKNOWN : ALL, rights);
  }

  static DirectoryView ofServer(String id, Rights rights, boolean passUnknown) {
    return new DirectoryView(id, true, everything(List.of(id), passUnknown), rights);
  }

  /** The same view with the lists of a caller. */
  DirectoryView of(CallerFacts whose) {
    return new DirectoryView(name, server, options, rights, whose);
  }

  private static ViewOptions everything(List<String> servers, boolean passUnknown) {
    return new ViewOptions(
        servers, List.of(), List.of(), Map.of(), false, false, List.of(), false, passUnknown);
  }

  /** The same view with all rights: to find out whether an entry was denied, never to show it. */
  public DirectoryView whole() {
    return new DirectoryView(name, server, options, AccessPolicy.WHOLE, caller);
  }

  /** Whether its list has the three tools of {@link MetaTools} in place of its own. */
  public boolean searches() {
    return options.search();
  }

  /** Whether it can have no second server, so that its URIs are the server's own. */
  public boolean isOfOneServer() {
    return options.servers().size() == 1;
  }

  public boolean includes(String id) {
    return (options.servers().isEmpty() || options.servers().contains(id)) && rights.sees(id);
  }

  /** Whether clients may use a tool, a prompt or a URI of one of the servers. */
  public boolean admits(ListKind kind, String id, String key) {
    return includes(id) && PolicyFilter.shows(rights, kind, id, key) && selects(id, key);
  }

  /**
   * Whether the client may send a server a method that MCP does not define: what the view selects
   * and the policies permit to call, by the method's name. What the params name must be permitted,
   * too, and denied for no action: the server may do with it what the client may not.
   *
   * @param params by the server's own names
   */
  public boolean mayPass(String id, String method, RawJson params) {
    RawJson ref = params.member("ref");
    return options.passUnknown()
        && includes(id)
        && selects(id, method)
        && rights.permits(PolicyCheck.passed(id, method))
        && mayName(id, params)
        && (ref == null || !ref.isObject() || mayName(id, ref));
  }

  /**
   * Whether notifications that MCP does not define pass from a server to a client over a connection
   * that is the client's own. They pass in each view, because that connection has one client; at
   * the endpoint of one server {@code passUnknown} turns them off.
   */
  public boolean hearsUnknown() {
    return !server || options.passUnknown();
  }

  private boolean mayName(String id, RawJson of) {
    return mayName(id, Action.CALL, of.member("name"))
        && mayName(id, Action.READ, of.member("uri"));
  }

  /** A value that is no text could be read as one: only who may everything sends it. */
  private boolean mayName(String id, Action action, @Nullable RawJson value) {
    if (value == null || (rights.isUnbounded() && !restricts())) {
      return true;
    }
    if (!value.isString()) {
      return false;
    }
    String item = value.asString();
    return selects(id, item)
        && rights.permits(Operation.of(action, id, item))
        && !rights.denies(id, item);
  }

  private boolean restricts() {
    return !options.allow().isEmpty() || !options.deny().isEmpty();
  }

  /** A denial holds for each form of a name or URI, a permission as it is written. */
  private boolean selects(String id, String key) {
    if (!restricts()) {
      return true;
    }
    if (key.length() > MAX_NAME) {
      return false;
    }
    String text = id + "." + key;
    UriForms forms = UriForms.of(key);
    boolean uri = key.contains(":");
    return (options.allow().isEmpty()
            || options.allow().stream()
                .anyMatch(glob -> Glob.matches(glob, text) && (!uri || staysWithin(glob, forms))))
        && options.deny().stream()
            .noneMatch(glob -> Glob.matches(glob, text) || matchesForm(glob, id, forms));
  }

  private static boolean staysWithin(String glob, UriForms forms) {
    return forms.stayWithin(glob.substring(glob.indexOf('.') + 1));
  }

  private static boolean matchesForm(String glob, String id, UriForms forms) {
    int server = glob.indexOf('.') + 1;
    String pattern =
        UriForms.folded(glob.substring(0, server)) + UriForms.pattern(glob.substring(server));
    return forms.matches(UriForms.folded(id) + ".", pattern);
  }

  /**
   * Whether the client may subscribe to a resource.
   *
   * @param uri the server's own
   */
  public boolean maySubscribe(String id, String uri) {
    return rights.permits(Operation.of(Action.SUBSCRIBE, id, uri));
  }

  /** The name of a tool or a prompt for clients. */
  public String nameOf(String id, String key) {
    if (server) {
      return key;
    }
    ToolName own = new ToolName(id, key);
    String renamed = options.rename().get(own.toString());
    if (renamed != null) {
      return renamed;
    }
    return options.plainNames() ? key : RoutingName.of(own);
  }
}
