package dev.mcpbus.bus;

import java.util.List;

/** The parameters that the query of an HTTP path may have. */
public enum HttpQuery {
  TIMEOUT("timeout", QueryKind.FROM_1, "Milliseconds that the caller waits; also as a header."),
  CURSOR("cursor", QueryKind.TEXT, "One page; without it all pages are followed."),
  CACHE("cache", QueryKind.WORD, "Take what is kept, or ask the server anew.", "use", "refresh"),
  VALIDATE(
      "validate",
      QueryKind.FLAG,
      "Check the arguments against the input schema first; default true."),
  AS_TASK("task", QueryKind.FLAG, "Answer with the task, where the server makes one."),
  RESOURCE_URI("uri", QueryKind.REQUIRED, "The resource."),
  SKILL_URI("uri", QueryKind.REQUIRED, "The SKILL.md of the skill."),
  DIRECTORY_URI("uri", QueryKind.REQUIRED, "The directory."),
  SKILL_PATH(
      "path", QueryKind.TEXT, "A file of the skill, below its directory; without it the SKILL.md."),
  AFTER("after", QueryKind.FROM_0, "Lines after this number; without it the last ones."),
  LIMIT("limit", QueryKind.FROM_1, "At most so many lines, up to 500; default 100."),
  REPLICA(
      "replica", QueryKind.FROM_0, "The replica that answers; by default the first that serves."),
  FORM("form", QueryKind.TEXT, "openai, openai-responses, anthropic, gemini, bedrock or ai-sdk."),
  TOOL_SERVERS("server", QueryKind.TEXTS, "Only tools of these servers."),
  STRICT("strict", QueryKind.FLAG, "Schemas as strict modes want them."),
  WORDS("q", QueryKind.TEXT, "What the tool should do, in words."),
  SEARCH_LIMIT("limit", QueryKind.FROM_1, "At most so many; 10 without it, 100 at most."),
  OFFSET("offset", QueryKind.FROM_1, "Leave out so many of the best."),
  WITH_SKILLS("skills", QueryKind.FLAG, "The best skills, too."),
  ONE_SERVER("server", QueryKind.TEXT, "Only those of this server."),
  PRINCIPAL(
      "principal",
      QueryKind.TEXT,
      "Of this principal, which needs the admin right; else the caller's own."),
  SERVERS("server", QueryKind.TEXTS, "Only of these servers; several times, or with commas."),
  EVENT_TYPES("type", QueryKind.TEXTS, "Only events of these types."),
  LAST_EVENT_ID(
      "lastEventId", QueryKind.TEXT, "As the header Last-Event-ID: go on after this event.");

  /** What may stand there; each may be left out but {@link #REQUIRED}. */
  public enum QueryKind {
    TEXT,
    REQUIRED,
    /** Several times, or once. */
    TEXTS,
    FLAG,
    /** A whole number of at least 0. */
    FROM_0,
    /** A whole number of at least 1. */
    FROM_1,
    /** One of {@link HttpQuery#words}. */
    WORD
  }

  public final String word;
  public final QueryKind kind;
  public final String summary;
  private final String words;

  HttpQuery(String word, QueryKind kind, String summary, String... words) {
    this.word = word;
    this.kind = kind;
    this.summary = summary;
    this.words = String.join(" ", words);
  }

  /** The words that it may be; empty but for {@link QueryKind#WORD}. */
  public List<String> words() {
    return List.of(words.split(" "));
  }
}
