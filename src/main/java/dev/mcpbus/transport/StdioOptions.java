package dev.mcpbus.transport;

import dev.mcpbus.internals.RecordCopy;
import dev.mcpbus.protocol.ParseLimits;
import dev.mcpbus.protocol.SecretRules;
import dev.mcpbus.protocol.Sensitive;
import java.nio.file.Path;
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
    return of(Sensitive.of(command), Sensitive.all(args), Map.of());
  }

  /** Options with the default of every bound, for values that may hold secrets. */
  public static StdioOptions of(
      Sensitive command, List<Sensitive> args, Map<String, Sensitive> env) {
    return new StdioOptions(
        command,
        args,
        env,
        null,
        Duration.ofSeconds(2),
        16 * 1024 * 1024,
        16 * 1024,
        10_000,
        ParseLimits.DEFAULT);
  }

  public StdioOptions withArgs(List<Sensitive> other) {
    return RecordCopy.with(this, "args", other);
  }

  public StdioOptions withEnv(Map<String, String> other) {
    return RecordCopy.with(this, "env", Sensitive.values(other));
  }

  public StdioOptions withCwd(@Nullable Path other) {
    return RecordCopy.with(this, "cwd", other == null ? null : Sensitive.of(other.toString()));
  }

  public StdioOptions withCloseGrace(Duration other) {
    return RecordCopy.with(this, "closeGrace", other);
  }

  public StdioOptions withLimits(ParseLimits other) {
    return RecordCopy.with(this, "limits", other);
  }

  public StdioOptions withWriteQueueBytes(int other) {
    return RecordCopy.with(this, "writeQueueBytes", other);
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
