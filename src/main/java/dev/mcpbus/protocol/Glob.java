package dev.mcpbus.protocol;

/**
 * Matches a pattern: {@code *} stands for any text, {@code ?} for one character, every other
 * character for itself. Stateless.
 */
public final class Glob {

  private Glob() {}

  /** Takes time proportional to at most the product of both lengths. */
  public static boolean matches(String glob, String text) {
    int g = 0;
    int t = 0;
    int star = -1;
    int mark = 0;
    while (t < text.length()) {
      if (g < glob.length() && glob.charAt(g) == '*') {
        star = g++;
        mark = t;
      } else if (g < glob.length() && (glob.charAt(g) == '?' || glob.charAt(g) == text.charAt(t))) {
        g++;
        t++;
      } else if (star >= 0) {
        g = star + 1;
        t = ++mark;
      } else {
        return false;
      }
    }
    while (g < glob.length() && glob.charAt(g) == '*') {
      g++;
    }
    return g == glob.length();
  }
}
