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
      "leave \"nextCursor\" out of the last page");

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
