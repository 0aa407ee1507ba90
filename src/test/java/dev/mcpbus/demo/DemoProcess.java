package dev.mcpbus.demo;

import java.nio.file.Path;
import java.util.List;

/** The command line of the demo server as a process of its own, with this test's class path. */
public final class DemoProcess {

  private DemoProcess() {}

  public static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  public static List<String> arguments() {
    return List.of(
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "-cp",
        System.getProperty("java.class.path"),
        DemoServer.class.getName());
  }
}
