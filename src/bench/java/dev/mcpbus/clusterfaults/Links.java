package dev.mcpbus.clusterfaults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * How nodes reach each other, and how that ends. In namespaces each node has a network stack of its
 * own; a link is cut in one direction by giving the other node a hardware address that nobody has:
 * packets are lost and nothing says so, as on a broken network. Without namespaces all nodes share
 * the loopback, and no link can be cut.
 */
final class Links {

  private static final String HERE = "10.77.0.";
  private static final String LINK = "eth0";

  private final boolean namespaces;

  private Links(boolean namespaces) {
    this.namespaces = namespaces;
  }

  static Links loopback() {
    return new Links(false);
  }

  /** This process must be alone in a network namespace of its own, with rights there. */
  static Links namespaces(int nodes) {
    Links links = new Links(true);
    run("ip", "link", "set", "lo", "up");
    run("ip", "link", "add", "hub", "type", "bridge");
    run("ip", "link", "set", "hub", "address", "02:00:00:00:00:fe", "up");
    run("ip", "addr", "add", HERE + "254/24", "dev", "hub");
    for (int i = 1; i <= nodes; i++) {
      String end = "link" + i;
      run("ip", "netns", "add", space(i));
      run("ip", "link", "add", end, "type", "veth", "peer", "name", LINK, "netns", space(i));
      run("ip", "link", "set", end, "master", "hub", "up");
      run("ip", "-n", space(i), "link", "set", "lo", "up");
      run("ip", "-n", space(i), "link", "set", LINK, "address", hardware(i), "up");
      run("ip", "-n", space(i), "addr", "add", HERE + i + "/24", "dev", LINK);
    }
    return links;
  }

  private static String space(int node) {
    return "n" + node;
  }

  private static String hardware(int node) {
    return String.format("02:00:00:00:00:%02x", node);
  }

  boolean canCut() {
    return namespaces;
  }

  /** The address at which others reach a node. */
  String host(int node) {
    return namespaces ? HERE + node : "127.0.0.1";
  }

  /** Puts a command into the place of a node. */
  List<String> at(int node, List<String> command) {
    if (!namespaces) {
      return command;
    }
    List<String> all = new ArrayList<>(List.of("ip", "netns", "exec", space(node)));
    all.addAll(command);
    return all;
  }

  /** What {@code from} sends to {@code to} is lost from now on. */
  void cut(int from, int to) {
    neighbour(from, to, "02:00:00:00:00:ff");
  }

  void heal(int from, int to) {
    neighbour(from, to, hardware(to));
  }

  void cutBoth(int one, int other) {
    cut(one, other);
    cut(other, one);
  }

  void healBoth(int one, int other) {
    heal(one, other);
    heal(other, one);
  }

  private static void neighbour(int from, int to, String hardware) {
    run(
        "ip",
        "-n",
        space(from),
        "neigh",
        "replace",
        HERE + to,
        "lladdr",
        hardware,
        "nud",
        "permanent",
        "dev",
        LINK);
  }

  private static void run(String... command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IllegalStateException(String.join(" ", command) + ": " + said.strip());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
