package dev.mcpbus.doctor;

import dev.mcpbus.transport.CommandSearch.FoundCommand;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The first line {@code #!...} of a script. Immutable.
 *
 * @param words of the line; empty for a program without one
 * @param windows whether the line ends as on Windows, which the kernel takes for a part of the name
 */
record Shebang(List<String> words, boolean windows) {

  private static final int MAX_BYTES = 256;

  /** Blocks. A program that cannot be read has no such line. */
  static Shebang of(Path program) {
    try (InputStream in = Files.newInputStream(program)) {
      String head = new String(in.readNBytes(MAX_BYTES), StandardCharsets.ISO_8859_1);
      if (head.startsWith("#!")) {
        String line = head.substring(2).split("\n", 2)[0];
        String text = line.strip();
        return new Shebang(
            text.isEmpty() ? List.of() : List.of(text.split("\\s+")), line.endsWith("\r"));
      }
    } catch (IOException e) {
      // Executable and not readable, as some installed programs are.
    }
    return new Shebang(List.of(), false);
  }

  /**
   * Why the kernel cannot run the interpreter; null if it can.
   *
   * @param search finds a program as the server's own is found
   */
  @Nullable Finding problem(Path program, Function<String, FoundCommand> search) {
    if (words.isEmpty()) {
      return null;
    }
    if (windows) {
      return Finding.of(
          DoctorCause.INTERPRETER_NOT_FOUND,
          "The first line of " + program + " ends with a carriage return, as on Windows",
          "Convert its line ends: sed -i 's/\\r$//' " + program);
    }
    if (search.apply(words.get(0)).program() == null) {
      return missing(program, words.get(0), "does not exist");
    }
    String wanted = wanted();
    boolean byEnv = words.get(0).endsWith("/env");
    return byEnv && !wanted.isEmpty() && search.apply(wanted).program() == null
        ? missing(program, wanted, "is not on PATH")
        : null;
  }

  /** The program that {@code env} is to find. */
  private String wanted() {
    return words.stream()
        .skip(1)
        .filter(word -> !word.startsWith("-") && word.indexOf('=') < 0)
        .filter(word -> word.indexOf('/') < 0)
        .findFirst()
        .orElse("");
  }

  private static Finding missing(Path program, String interpreter, String how) {
    return Finding.of(
        DoctorCause.INTERPRETER_NOT_FOUND,
        "The interpreter " + interpreter + " in the first line of " + program + " " + how,
        "Install it, correct the first line (#!), or name the right interpreter as \"command\"");
  }
}
