package dev.mcpbus.bench;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * The least that can be done with the same child: one thread that reads replies, finds the caller
 * by the id, and writes what one read has caused with one write. No limits, no checks, no
 * deadlines.
 */
final class PipeContender implements Contender {

  private static final byte[] ID = "\"id\":".getBytes(StandardCharsets.US_ASCII);

  private final Process child;
  private final OutputStream stdin;
  private final Map<Long, Reply> pending = new HashMap<>();
  private final ByteArrayOutputStream unsent = new ByteArrayOutputStream();
  private long lastId;

  PipeContender(String command) throws IOException {
    child = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    stdin = child.getOutputStream();
  }

  @Override
  public void open() {
    Thread reader = new Thread(this::read, "replies");
    reader.setDaemon(true);
    reader.start();
  }

  @Override
  public synchronized void execute(Runnable task) {
    task.run();
    flush();
  }

  @Override
  public void call(Reply reply) {
    long id = ++lastId;
    pending.put(id, reply);
    unsent.writeBytes(Payload.request(id).getBytes(StandardCharsets.US_ASCII));
    unsent.write('\n');
  }

  private void flush() {
    try {
      unsent.writeTo(stdin);
      stdin.flush();
      unsent.reset();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read() {
    byte[] buffer = new byte[256 * 1024];
    int held = 0;
    try (InputStream stdout = child.getInputStream()) {
      for (int count = stdout.read(buffer); count >= 0; ) {
        held = answer(buffer, held + count);
        count = stdout.read(buffer, held, buffer.length - held);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns how much of an unfinished line is left, moved to the front. */
  private synchronized int answer(byte[] buffer, int length) {
    int from = 0;
    for (int i = 0; i < length; i++) {
      if (buffer[i] == '\n') {
        long id = id(buffer, from);
        Reply reply = Objects.requireNonNull(pending.remove(id));
        boolean right = i - from == Payload.answerLength(id);
        reply.ended(right ? null : new IllegalStateException("not the answer expected"));
        from = i + 1;
      }
    }
    flush();
    System.arraycopy(buffer, from, buffer, 0, length - from);
    return length - from;
  }

  private static long id(byte[] line, int from) {
    int p = from;
    while (!matches(line, p)) {
      p++;
    }
    long id = 0;
    for (p += ID.length; line[p] >= '0' && line[p] <= '9'; p++) {
      id = 10 * id + line[p] - '0';
    }
    return id;
  }

  private static boolean matches(byte[] line, int at) {
    for (int i = 0; i < ID.length; i++) {
      if (line[at + i] != ID[i]) {
        return false;
      }
    }
    return true;
  }
}
