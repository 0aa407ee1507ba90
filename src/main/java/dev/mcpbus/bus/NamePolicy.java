package dev.mcpbus.bus;

import java.util.Optional;

/**
 * How the tools and prompts of all servers are named in the aggregate. Found with {@link
 * java.util.ServiceLoader} and chosen by {@code "catalog": {"names": ...}}.
 *
 * <p>A pure function both ways: called often, on an event loop, from any thread. What it does not
 * take back to where it came from is left out of the aggregate and reported, so a policy that maps
 * two names to one harms those two only.
 */
public interface NamePolicy {

  /** {@code server.tool}; {@code server:tool} is understood as well. */
  NamePolicy DOTTED =
      new NamePolicy() {
        @Override
        public String name() {
          return "dotted";
        }

        @Override
        public String encode(String server, String tool) {
          return new ToolName(server, tool).toString();
        }

        @Override
        public Optional<ToolName> decode(String name) {
          return ToolName.parse(name);
        }
      };

  /** By which the configuration names it. */
  String name();

  /**
   * The aggregated name.
   *
   * @param server a valid id: {@code [a-z0-9-]}
   * @param tool as its server names it: any text but an empty one
   */
  String encode(String server, String tool);

  /** The way back; empty where no server can be meant. */
  Optional<ToolName> decode(String name);

  /** True where {@link #decode} leads back; a policy that throws does not. */
  default boolean isFaithful(String server, String tool) {
    try {
      return decode(encode(server, tool)).equals(Optional.of(new ToolName(server, tool)));
    } catch (RuntimeException e) {
      return false;
    }
  }
}
