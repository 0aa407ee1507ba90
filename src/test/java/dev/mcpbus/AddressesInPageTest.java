package dev.mcpbus;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.bus.ConnectionId;
import dev.mcpbus.bus.ReplicaId;
import dev.mcpbus.connection.ConnectionVerticle;
import dev.mcpbus.testing.Compared;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The address table of {@code addresses.md} against the addresses of the code. */
class AddressesInPageTest {

  private static final Pattern ADDRESS = Pattern.compile("`((?:mcp)?\\.[a-z.<>-]+|mcp\\.rpc)`");

  /** What nodes and parts of mcpbus say to each other; no program calls these. */
  private static final Pattern INTERNAL =
      Pattern.compile(
          "mcp\\.(supervisor|placement|progress\\.|gateway\\..*)"
              + "|mcp\\.servers\\.(read|answers|callers\\.)|mcp\\.credentials\\.changed"
              + "|mcp\\.input\\.(ask|drop|offers|offered|renew|shared|nodes)"
              + "|mcp\\.tools\\.functions\\.(cancel|route)");

  @Test
  void it_has_every_address_of_a_server_and_no_other() throws IOException {
    Set<String> served = new TreeSet<>();
    ConnectionVerticle.addresses(new ReplicaId(new ConnectionId("x"), 0)).stream()
        .filter(address -> address.startsWith("mcp.x.") && !address.contains(".replica."))
        .map(address -> address.replace("mcp.x.", "mcp.<id>."))
        .forEach(served::add);
    served.add("mcp.<id>.events");
    served.add("mcp.<id>.input");
    Set<String> told = new TreeSet<>(table());
    told.removeIf(address -> !address.startsWith("mcp.<id>."));
    Compared.names("the first table of src/docs/addresses.md", told, served);
  }

  @Test
  void it_has_every_address_of_the_service_and_no_other() throws Exception {
    Set<String> served = new TreeSet<>();
    for (Field field : Addresses.class.getFields()) {
      if (Modifier.isStatic(field.getModifiers()) && field.get(null) instanceof String address) {
        boolean isWhole = address.startsWith(Addresses.OURS) && !address.equals(Addresses.OURS);
        if (isWhole && !INTERNAL.matcher(address).matches()) {
          served.add(address);
        }
      }
    }
    Set<String> told = new TreeSet<>(table());
    told.removeIf(address -> address.startsWith("mcp.<id>."));
    Compared.names("the first table of src/docs/addresses.md", told, served);
  }

  /** The addresses of the first column; {@code .get} goes on with the words before it. */
  private static Set<String> table() throws IOException {
    String page = Files.readString(Path.of("src/docs/addresses.md"));
    Set<String> all = new TreeSet<>();
    page.substring(0, page.indexOf("\nHeaders on a call:"))
        .lines()
        .filter(line -> line.startsWith("| `"))
        .map(line -> line.substring(0, line.indexOf(" |", 2)))
        .forEach(cell -> expand(cell, all));
    return all;
  }

  private static void expand(String cell, Set<String> into) {
    String base = "";
    for (String token : ADDRESS.matcher(cell).results().map(found -> found.group(1)).toList()) {
      if (token.startsWith(".")) {
        into.add(base + token);
      } else {
        base = token.replaceFirst("^(mcp\\.[^.]+).*", "$1");
        into.add(token);
      }
    }
  }
}
