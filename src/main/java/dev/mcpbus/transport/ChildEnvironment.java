package dev.mcpbus.transport;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The environment variables that a program started by mcpbus inherits. All others may be secret and
 * are not passed on.
 */
public final class ChildEnvironment {

  private static final List<String> NAMES =
      List.of("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "TMPDIR", "TZ");

  private ChildEnvironment() {}

  /** Returns a new, modifiable map of the variables that a program needs to run at all. */
  public static Map<String, String> of(Map<String, String> ours) {
    Map<String, String> basics = new LinkedHashMap<>();
    for (String name : NAMES) {
      String value = ours.get(name);
      if (value != null) {
        basics.put(name, value);
      }
    }
    return basics;
  }
}
