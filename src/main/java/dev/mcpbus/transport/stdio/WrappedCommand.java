package dev.mcpbus.transport.stdio;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Finds the command that runs in the end behind others that only prepare its way: {@code sudo -n
 * docker run}, {@code op run --env-file=x -- npx}. Pure.
 */
final class WrappedCommand {

  /** Commands that run the one after them. */
  private static final Set<String> WRAPPERS =
      Set.of(
          ("env sudo doas nohup exec time timeout nice ionice setsid stdbuf tini dumb-init xvfb-run"
                  + " firejail systemd-run corepack asdf fnm volta sh bash zsh dash ash fish cd cmd"
                  + " powershell pwsh wsl flatpak-spawn distrobox-host-exec host-spawn op doppler"
                  + " infisical dotenv dotenvx aws-vault chamber direnv")
              .split(" "));

  /** What those are told to do. */
  private static final Set<String> DO_RUN = Set.of("run", "exec", "x", "--");

  private WrappedCommand() {}

  /**
   * Where the command stands; -1 if it is not there.
   *
   * @param words with the first command
   * @param wanted the names to look for
   */
  static int find(List<String> words, Predicate<String> wanted) {
    boolean maybeValue = false; // of the option before
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      String name = name(word);
      if (wanted.test(name)) {
        return i;
      }
      boolean option = word.startsWith("-") || word.matches("/\\w") || word.indexOf('=') > 0;
      boolean passed =
          WRAPPERS.contains(name)
              || (i > 0 && (option || maybeValue || DO_RUN.contains(word) || isNumber(word)));
      if (!passed) {
        int after = words.indexOf("--") + 1;
        boolean there = i > 0 && after > i && after < words.size();
        return there && wanted.test(name(words.get(after))) ? after : -1;
      }
      maybeValue =
          name.equals("cd")
              || (word.startsWith("-")
                  && !word.equals("--")
                  && !word.endsWith("c") // of a shell: the command follows
                  && word.indexOf('=') < 0);
    }
    return -1;
  }

  private static boolean isNumber(String word) {
    return !word.isEmpty() && Character.isDigit(word.charAt(0));
  }

  /** The name of a command without its folder and the ending of Windows, in small letters. */
  static String name(String word) {
    String base = word.substring(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
    return base.toLowerCase(Locale.ROOT).replaceFirst("\\.(cmd|exe|ps1|bat)$", "");
  }
}
