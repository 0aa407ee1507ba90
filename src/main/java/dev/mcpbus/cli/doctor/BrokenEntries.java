package dev.mcpbus.cli.doctor;

import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.doctor.EntryCheck;
import dev.mcpbus.protocol.ServerId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The entries that mcpbus leaves out, with their problems. Immutable.
 *
 * @param problems of each server, by its name in the file
 */
record BrokenEntries(Map<String, List<ConfigProblem>> problems) {

  static BrokenEntries of(List<ConfigProblem> all) {
    Map<String, List<ConfigProblem>> found = new LinkedHashMap<>();
    for (ConfigProblem problem : all) {
      String server = problem.server();
      if (server != null) {
        found.computeIfAbsent(server, name -> new ArrayList<>()).add(problem);
      }
    }
    return new BrokenEntries(found);
  }

  Set<String> names() {
    return problems.keySet();
  }

  DoctorReport report(String name) {
    return new DoctorReport(
        name, "", EntryCheck.broken(problems.getOrDefault(name, List.of())), null);
  }

  /** Whether a person may mean this name: itself, or the id that mcpbus makes of it. */
  static boolean isCalled(String name, String wanted) {
    return name.equals(wanted) || ServerId.of(name).equals(ServerId.of(wanted));
  }
}
