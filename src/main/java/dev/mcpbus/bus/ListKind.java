package dev.mcpbus.bus;

import dev.mcpbus.protocol.Methods;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A kind of list that a server has, with its words on the bus and in MCP. Immutable. */
public enum ListKind {
  TOOLS(
      "tools",
      "name",
      Methods.TOOLS_LIST,
      Addresses.TOOLS_LIST,
      Addresses.ALL_TOOLS_LIST,
      Events.TOOLS_CHANGED,
      Methods.TOOLS_CHANGED,
      "toolsListChanged"),
  PROMPTS(
      "prompts",
      "name",
      Methods.PROMPTS_LIST,
      Addresses.PROMPTS_LIST,
      Addresses.ALL_PROMPTS_LIST,
      Events.PROMPTS_CHANGED,
      Methods.PROMPTS_CHANGED,
      "promptsListChanged"),
  RESOURCES(
      "resources",
      "uri",
      Methods.RESOURCES_LIST,
      Addresses.RESOURCES_LIST,
      Addresses.ALL_RESOURCES_LIST,
      Events.RESOURCES_CHANGED,
      Methods.RESOURCES_CHANGED,
      "resourcesListChanged"),
  TEMPLATES(
      "resourceTemplates",
      "uriTemplate",
      Methods.RESOURCES_TEMPLATES,
      Addresses.RESOURCES_TEMPLATES,
      null,
      Events.RESOURCES_CHANGED,
      Methods.RESOURCES_CHANGED,
      "resourcesListChanged"),
  /** Of the extension of skills (SEP-2640), which has no notification of its own. */
  SKILLS(
      "skills",
      "uri",
      Methods.SKILLS_LIST,
      Addresses.SKILLS_LIST,
      Addresses.ALL_SKILLS_LIST,
      Events.RESOURCES_CHANGED,
      Methods.RESOURCES_CHANGED,
      "resourcesListChanged");

  private static final List<ListKind> OF_TOOLS = List.of(TOOLS);
  private static final List<ListKind> OF_PROMPTS = List.of(PROMPTS);
  private static final List<ListKind> OF_RESOURCES = List.of(RESOURCES, TEMPLATES, SKILLS);

  /** Member of the result that holds the list. */
  public final String member;

  /** Member of an entry that identifies it. */
  public final String key;

  public final String method;

  /** Suffix of one server's address. */
  public final String suffix;

  /** Address of the bus for all servers together; null if there is none. */
  public final @Nullable String aggregate;

  /** Type of the event after a change of the list. */
  public final String event;

  /** The notification to clients after a change of the list. */
  public final String notification;

  /** Its word in the filter of {@code subscriptions/listen}. */
  public final String filter;

  ListKind(
      String member,
      String key,
      String method,
      String suffix,
      @Nullable String aggregate,
      String event,
      String notification,
      String filter) {
    this.member = member;
    this.key = key;
    this.method = method;
    this.suffix = suffix;
    this.aggregate = aggregate;
    this.event = event;
    this.notification = notification;
    this.filter = filter;
  }

  /** The kind that a method lists; null for any other method. */
  public static @Nullable ListKind ofMethod(String method) {
    for (ListKind kind : values()) {
      if (kind.method.equals(method)) {
        return kind;
      }
    }
    return null;
  }

  /** The kinds that a server announces with that notification; none for any other method. */
  public static List<ListKind> announcedBy(String method) {
    return switch (method) {
      case Methods.TOOLS_CHANGED -> OF_TOOLS;
      case Methods.PROMPTS_CHANGED -> OF_PROMPTS;
      case Methods.RESOURCES_CHANGED -> OF_RESOURCES;
      default -> List.of();
    };
  }

  /** True if clients use an entry by its name, false if by its URI. */
  public boolean isNamed() {
    return key.equals("name");
  }
}
