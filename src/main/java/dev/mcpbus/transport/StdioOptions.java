package dev.mcpbus.transport;

import dev.mcpbus.protocol.ParseLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A child process that speaks MCP on stdin and stdout.
 *
 * @param command program, looked up in the child's {@code PATH} where it has no slash
 * @param args its arguments
 * @param env added to the inherited basics ({@code PATH HOME USER LOGNAME SHELL TERM LANG TMPDIR});
 *     values may be secret
 * @param cwd working directory, ours where null
 * @param closeGrace how long the child may take after EOF, and again after SIGTERM; default 2 s
 * @param writeQueueBytes bound of what waits to be written, default 16 MiB
 * @param stderrBytes how much of the end of stderr is kept, default 16 KiB
 * @param junkLines lines on stdout that are no JSON and are skipped before the channel is closed
 *     with {@code PROTOCOL_ERROR}; default 100
 * @param limits bounds of one message
 */
public record StdioOptions(
    String command,
    List<String> args,
    Map<String, String> env,
    @Nullable Path cwd,
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

  /** With the defaults of every bound. */
  public static StdioOptions of(String command, List<String> args) {
    return new StdioOptions(
        command,
        args,
        Map.of(),
        null,
        Duration.ofSeconds(2),
        16 * 1024 * 1024,
        16 * 1024,
        100,
        ParseLimits.DEFAULT);
  }

  public StdioOptions withEnv(Map<String, String> other) {
    return new StdioOptions(
        command, args, other, cwd, closeGrace, writeQueueBytes, stderrBytes, junkLines, limits);
  }

  public StdioOptions withCwd(@Nullable Path other) {
    return new StdioOptions(
        command, args, env, other, closeGrace, writeQueueBytes, stderrBytes, junkLines, limits);
  }

  public StdioOptions withCloseGrace(Duration other) {
    return new StdioOptions(
        command, args, env, cwd, other, writeQueueBytes, stderrBytes, junkLines, limits);
  }

  public StdioOptions withLimits(ParseLimits other) {
    return new StdioOptions(
        command, args, env, cwd, closeGrace, writeQueueBytes, stderrBytes, junkLines, other);
  }

  public StdioOptions withWriteQueueBytes(int other) {
    return new StdioOptions(
        command, args, env, cwd, closeGrace, other, stderrBytes, junkLines, limits);
  }

  @Override
  public String type() {
    return TYPE;
  }

  @Override
  public Collection<String> secrets() {
    return env.values();
  }

  /** Leaves all out that may hold a secret. */
  @Override
  public String toString() {
    return "stdio[" + args.size() + " arguments]";
  }
}
