package dev.mcpbus.protocol;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What a program that we start finds of our environment. The rest may be secret and stays here. */
public final class ChildEnvironment {

  private static final List<String> NAMES =
      List.of("PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "TMPDIR", "TZ");

  private ChildEnvironment() {}

  /** A new map of the variables that a program needs to run at all, to be added to. */
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
