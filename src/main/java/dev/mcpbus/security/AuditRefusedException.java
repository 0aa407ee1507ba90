package dev.mcpbus.security;

/** A line of the audit log cannot be written, and without it the call must not go on. */
public final class AuditRefusedException extends Exception {
  private static final long serialVersionUID = 1;

  /**
   * @param why for people, without the path of the file
   */
  AuditRefusedException(String why) {
    super(why);
  }
}
