package dev.mcpbus.doctor;

/** A request to the server that is examined has failed. */
public final class ExaminationException extends RuntimeException {

  private static final long serialVersionUID = 1;

  /**
   * @param message why, without secrets
   */
  public ExaminationException(String message, Throwable cause) {
    super(message, cause);
  }
}
