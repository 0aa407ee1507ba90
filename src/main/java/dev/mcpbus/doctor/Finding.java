package dev.mcpbus.doctor;

import java.util.List;

/**
 * What is wrong at one step. Immutable. Texts may hold words of the server: what prints them makes
 * them printable.
 *
 * @param cause for programs
 * @param text the cause in one plain sentence, without a full stop
 * @param remedy what a person does about it, one or two sentences, without the last full stop
 * @param evidence lines that the server has written, the telling ones first; empty if there are
 *     none
 */
public record Finding(DoctorCause cause, String text, String remedy, List<String> evidence) {

  public Finding {
    evidence = List.copyOf(evidence);
  }

  public static Finding of(DoctorCause cause, String text, String remedy) {
    return new Finding(cause, text, remedy, List.of());
  }

  public Finding with(List<String> lines) {
    return new Finding(cause, text, remedy, lines);
  }
}
