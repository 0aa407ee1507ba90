package dev.mcpbus.transport;

import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.SecretRules;
import dev.mcpbus.protocol.Sensitive;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A server that is a child process, with MCP on its stdin and stdout.
 *
 * @param command the program; looked up in the child's {@code PATH} if it has no slash
 * @param args its arguments
 * @param env added to the inherited basics ({@code PATH HOME USER LOGNAME SHELL TERM LANG TMPDIR})
 * @param cwd working directory, null for that of mcpbus
 * @param closeGrace how long the child may take after EOF, and again after SIGTERM; default 2 s
 * @param writeQueueBytes how many bytes may wait to be written, default 16 MiB
 * @param stderrBytes how many of the last bytes of stderr are kept, default 16 KiB
 * @param junkLines how many lines that are no messages may come at once before the channel is
 *     closed with {@code PROTOCOL_ERROR}; the room fills up with time and with messages. Default
 *     1,000
 * @param limits bounds of one message
 */
public record StdioOptions(
    Sensitive command,
    List<Sensitive> args,
    Map<String, Sensitive> env,
    @Nullable Sensitive cwd,
    Duration closeGrace,
    int writeQueueBytes,
    int stderrBytes,
    int junkLines,
    ParseLimits limits)
    implements TransportOptions {

  public static final String TYPE = "stdio";

  public StdioOptions {
    args = List.copyOf(args);
    env = Map.copyOf(env);
  }

  /** Options with the default of every bound. */
  public static StdioOptions of(String command, List<String> args) {
    return new StdioOptions(
        Sensitive.of(command),
        Sensitive.all(args),
        Map.of(),
        null,
        Duration.ofSeconds(2),
        ParseLimits.DEFAULT);
  }

  /** Options with the default of the bounds that no document says. */
  public StdioOptions(
      Sensitive command,
      List<Sensitive> args,
      Map<String, Sensitive> env,
      @Nullable Sensitive cwd,
      Duration closeGrace,
      ParseLimits limits) {
    this(command, args, env, cwd, closeGrace, 16 * 1024 * 1024, 16 * 1024, 10_000, limits);
  }

  @Override
  public String type() {
    return TYPE;
  }

  @Override
  public Collection<Sensitive> secrets() {
    return SecretRules.in(env);
  }
}
