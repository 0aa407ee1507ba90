package dev.mcpbus.protocol;

/**
 * Something that servers do although MCP does not say it, and that mcpbus can carry without a
 * guess. {@code src/docs/world.md} has the reports, and what other clients do.
 */
@PublicApi
public enum Quirk {
  NULL_FOR_ABSENT(
      "its messages carry null for what is absent, such as \"error\": null",
      "leave out a member that has no value"),
  NO_ARRAY("its lists lack their array", "send an empty array for an empty list"),
  ONE_SESSION(
      "it takes one session only, so clients share it, and what one does another may see",
      "make a session, and its state, for each initialize; a program must run more than once"),
  STUCK_CURSOR(
      "its lists name a page that was read before, or \"\", as the next one",
      "leave \"nextCursor\" out of the last page"),
  NOISE(
      "it writes lines that are no messages where only messages may be",
      "write logs to stderr, and nothing but messages to stdout"),
  ANSWER_BEHIND_TEXT(
      "its answer stands behind other text on the same line",
      "write logs to stderr, and nothing but messages to stdout"),
  SESSION_LOST_IN_WORDS(
      "it says in other words than HTTP 404 that it does not know the session any more",
      "answer a request whose Mcp-Session-Id is not known with HTTP 404"),
  STRAY_EVENTS(
      "its event streams carry data that is no message, such as keep-alives",
      "keep a stream alive with comments, such as \": ping\""),
  NOTIFICATION_REFUSED(
      "it refuses notifications, or answers to its questions",
      "answer a notification with HTTP 202, also an unknown one"),
  SILENT_ON_PROBE(
      "it leaves a method that it does not know, server/discover, without an answer",
      "answer an unknown method with the error -32601"),
  SILENT_ON_PING(
      "it leaves ping without an answer, and lists its tools", "answer ping with an empty result"),
  ENTRY_SHAPE(
      "entries of its lists have members that clients do not read, such as \"description\": null",
      "compare the entries with the schema of MCP: each member has its type or is absent");

  private final String says;
  private final String remedy;

  Quirk(String says, String remedy) {
    this.says = says;
    this.remedy = remedy;
  }

  /** What the server does, as the end of a sentence: {@code its lists lack their array}. */
  public String says() {
    return says;
  }

  /** What its authors can do about it, in the imperative. */
  public String remedy() {
    return remedy;
  }
}
