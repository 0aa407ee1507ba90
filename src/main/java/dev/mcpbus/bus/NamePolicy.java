package dev.mcpbus.bus;

import dev.mcpbus.protocol.PublicApi;
import java.util.Optional;

/**
 * Names the tools and prompts of all servers in the aggregate. {@link java.util.ServiceLoader}
 * finds the policies; {@code "catalog": {"names": ...}} selects one.
 *
 * <p>Both directions are pure functions: called often, on event loops, from any thread. If {@link
 * #decode} does not return the pair that {@link #encode} took, the aggregate leaves that tool out
 * and reports it. So a policy that maps two tools to one name affects only these two.
 */
@PublicApi
public interface NamePolicy {

  /** Makes {@code server.tool}; also reads {@code server:tool}. */
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

  /** The name of this policy in the configuration. */
  String name();

  /**
   * The aggregated name.
   *
   * @param server a valid id: {@code [a-z0-9-]}
   * @param tool the server's own name of the tool: any text except the empty one
   */
  String encode(String server, String tool);

  /** The server and tool of an aggregated name; empty if the name can belong to no server. */
  Optional<ToolName> decode(String name);

  /** True if {@link #decode} returns what {@link #encode} took; false if the policy throws. */
  default boolean isFaithful(String server, String tool) {
    try {
      return decode(encode(server, tool)).equals(Optional.of(new ToolName(server, tool)));
    } catch (RuntimeException e) {
      return false;
    }
  }
}
