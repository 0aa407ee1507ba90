package dev.mcpbus.protocol;

/** {@code *} stands for any text, {@code ?} for one character; all else for itself. */
public final class Glob {

  private Glob() {}

  /** Takes time in proportion to the product of both lengths at most. */
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
