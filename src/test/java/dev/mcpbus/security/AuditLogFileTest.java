package dev.mcpbus.security;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.mcpbus.security.AuthOptions.AuditFile;
import dev.mcpbus.security.AuthOptions.OnAuditFailure;
import io.vertx.core.Promise;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Real files, through a disk that has room for a given number of bytes and can stall. */
class AuditLogFileTest {

  @TempDir Path folder;

  private final Disk disk = new Disk();
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private final List<AuditLogFile> open = new ArrayList<>();
  private Path path;

  @BeforeEach
  void logs() {
    path = folder.resolve("audit.log");
    log.start();
    ((Logger) LoggerFactory.getLogger(AuditLogFile.class)).addAppender(log);
  }

  @AfterEach
  void end() {
    disk.repair();
    open.forEach(AuditLogFile::close);
    ((Logger) LoggerFactory.getLogger(AuditLogFile.class)).detachAppender(log);
  }

  private AuditLogFile file(OnAuditFailure onFailure, long maxBytes) {
    AuditLogFile file =
        new AuditLogFile(
            new AuditFile(path.toString(), maxBytes, 2, onFailure),
            count -> "LOST " + count,
            disk,
            System::nanoTime);
    open.add(file);
    return file;
  }

  private AuditLogFile file() {
    return file(OnAuditFailure.CONTINUE, 100_000_000);
  }

  private static void until(org.awaitility.core.ThrowingRunnable holds) {
    Awaitility.await().atMost(Duration.ofSeconds(60)).untilAsserted(holds);
  }

  private List<String> lines() throws IOException {
    return Files.exists(path) ? Files.readAllLines(path) : List.of();
  }

  private List<String> told() {
    return List.copyOf(log.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  @Test
  void a_full_disk_cuts_no_line_and_loses_none_that_fits_in_memory() {
    disk.room(25); // two lines of ten bytes, and a half
    AuditLogFile file = file();
    IntStream.range(0, 6).forEach(i -> file.write("line-000" + i));
    until(() -> assertThat(file.problem()).isEqualTo("No space left on device"));
    until(() -> assertThat(lines()).containsExactly("line-0000", "line-0001"));
    assertThat(file.waiting()).isEqualTo(4);
    assertThat(file.lost()).isZero();

    disk.repair();
    until(
        () ->
            assertThat(lines())
                .containsExactlyElementsOf(
                    IntStream.range(0, 6).mapToObj(i -> "line-000" + i).toList()));
    until(() -> assertThat(told()).hasSize(2));
    assertThat(told().get(0)).contains("cannot be written: No space left on device", "Calls go on");
    assertThat(told().get(1)).contains("is written again", "0 lines are lost");
  }

  @Test
  void lines_beyond_the_bound_are_counted_in_the_log_and_in_the_file() throws IOException {
    disk.room(0);
    AuditLogFile file = file();
    String line = "x".repeat(1023);
    int fit = AuditLogFile.MAX_BYTES / 1024;
    IntStream.range(0, fit + 7).forEach(i -> file.write(line));
    assertThat(file.lost()).isEqualTo(7);
    assertThat(file.waiting()).isEqualTo(fit);

    disk.repair();
    until(() -> assertThat(lines()).hasSize(fit + 1).contains("LOST 7"));
    until(() -> assertThat(told().get(told().size() - 1)).contains("7 lines are lost"));
    assertThat(told()).as("one line at the beginning, one at the end").hasSize(2);
  }

  @Test
  void a_disk_that_stalls_holds_up_no_caller() throws IOException {
    CountDownLatch stalled = disk.stall();
    AuditLogFile file = file();
    String line = "x".repeat(1023);
    int fit = AuditLogFile.MAX_BYTES / 1024;
    IntStream.range(0, fit + 3).forEach(i -> file.write(line));
    assertThat(file.lost()).isEqualTo(3);
    assertThat(told()).singleElement().asString().contains("more slowly than they come");
    stalled.countDown();
    until(() -> assertThat(lines()).hasSize(fit + 1).contains("LOST 3"));
  }

  @Test
  void where_it_cannot_be_cut_a_line_break_separates_the_torn_line() {
    disk.room(15);
    disk.cuts = false;
    AuditLogFile file = file();
    IntStream.range(0, 3).forEach(i -> file.write("line-000" + i));
    until(() -> assertThat(file.problem()).isNotNull());
    disk.repair();
    until(
        () -> assertThat(lines()).containsExactly("line-0000", "line-", "line-0001", "line-0002"));
  }

  @Test
  void a_line_that_a_crash_has_cut_is_separated_at_the_next_start() throws IOException {
    Files.writeString(path, "whole\n{\"time\":\"20");
    file().write("next");
    until(() -> assertThat(lines()).containsExactly("whole", "{\"time\":\"20", "next"));
  }

  @Test
  void a_removed_folder_is_made_again_and_a_moved_file_is_left_alone() throws IOException {
    path = folder.resolve("logs/audit.log");
    AuditLogFile file = file();
    file.write("one");
    until(() -> assertThat(lines()).containsExactly("one"));
    Path moved = Files.move(path, folder.resolve("moved"));
    file.write("two");
    until(() -> assertThat(lines()).containsExactly("two"));
    assertThat(Files.readAllLines(moved)).containsExactly("one");

    Files.delete(path);
    Files.delete(path.getParent());
    Files.writeString(path.getParent(), "a file in place of the folder");
    file.write("three");
    until(() -> assertThat(file.problem()).isNotNull());
    Files.delete(path.getParent());
    until(() -> assertThat(lines()).containsExactly("three"));
    assertThat(file.problem()).isNull();
  }

  @Test
  void a_file_is_rotated_by_its_size() {
    AuditLogFile file = file(OnAuditFailure.CONTINUE, 10);
    for (int i = 0; i < 4; i++) {
      String line = "line-000" + i;
      file.write(line);
      until(() -> assertThat(lines()).containsExactly(line));
    }
    until(() -> assertThat(Path.of(path + ".1")).hasContent("line-0002"));
    assertThat(Path.of(path + ".2")).hasContent("line-0001");
    assertThat(Path.of(path + ".3")).doesNotExist();
  }

  @Test
  void with_refuse_a_line_is_forced_before_its_call_goes_on_or_is_not_written_at_all() {
    AuditLogFile file = file(OnAuditFailure.REFUSE, 100_000_000);
    Promise<Void> first = Promise.promise();
    file.write("first", first);
    until(() -> assertThat(first.future().succeeded()).isTrue());
    assertThat(disk.forced).hasValue(1);

    disk.forces = false;
    Promise<Void> second = Promise.promise();
    file.write("second", second);
    until(() -> assertThat(second.future().failed()).isTrue());
    assertThat(second.future().cause()).hasMessage("Input/output error");
    until(() -> assertThat(lines()).containsExactly("first"));

    disk.repair();
    Promise<Void> third = Promise.promise();
    file.write("third", third);
    until(() -> assertThat(third.future().succeeded()).isTrue());
    until(() -> assertThat(lines()).containsExactly("first", "third"));
    assertThat(told().get(0)).contains("Calls are refused");
  }

  @Test
  void a_device_that_is_full_says_so_and_the_end_counts_what_is_left() {
    path = Path.of("/dev/full");
    AuditLogFile file =
        new AuditLogFile(
            new AuditFile(path.toString(), 10, 2, OnAuditFailure.CONTINUE),
            count -> "LOST " + count);
    file.write("line");
    until(() -> assertThat(file.problem()).isEqualTo("No space left on device"));
    file.close();
    assertThat(file.lost()).isEqualTo(1);
    assertThat(told().get(told().size() - 1)).contains("the last 1 lines are lost");
  }

  private static String mode(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void other_users_can_read_no_audit_file_that_is_new_older_or_rotated() throws IOException {
    Path rotated = Files.writeString(folder.resolve("audit.log.1"), "older\n");
    Path oldest = Files.writeString(folder.resolve("audit.log.2"), "oldest\n");
    Files.writeString(path, "before\n");
    for (Path each : List.of(path, rotated, oldest)) {
      Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rw-r--r--"));
    }
    AuditFile options = new AuditFile(path.toString(), 20, 3, OnAuditFailure.CONTINUE);
    AuditLogFile file = new AuditLogFile(options, count -> "LOST " + count);
    open.add(file);
    file.open();
    until(() -> assertThat(mode(path)).isEqualTo("rw-------"));
    until(() -> assertThat(mode(rotated) + mode(oldest)).isEqualTo("rw-------rw-------"));

    IntStream.range(0, 6).forEach(i -> file.write("line-000" + i));
    until(() -> assertThat(file.waiting()).isZero());
    file.write("line-0006");
    until(() -> assertThat(lines()).contains("line-0006"));

    try (var files = Files.list(folder)) {
      for (Path each : files.toList()) {
        assertThat(mode(each)).as(each.toString()).isEqualTo("rw-------");
      }
    }
  }

  /** The disk: its room in bytes, and what else of it is broken. */
  private static final class Disk implements WholeLineFile.Opener {

    private volatile long room = Long.MAX_VALUE;
    private volatile boolean cuts = true;
    private volatile boolean forces = true;
    private final AtomicInteger forced = new AtomicInteger();
    private volatile CountDownLatch stall = new CountDownLatch(0);

    void room(long bytes) {
      room = bytes;
    }

    CountDownLatch stall() {
      stall = new CountDownLatch(1);
      return stall;
    }

    void repair() {
      room = Long.MAX_VALUE;
      cuts = true;
      forces = true;
      stall.countDown();
    }

    @Override
    public SeekableByteChannel open(Path path) throws IOException {
      return new FaultyChannel(
          FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND), this);
    }

    @Override
    public void force(SeekableByteChannel channel) throws IOException {
      if (!forces) {
        throw new IOException("Input/output error");
      }
      forced.incrementAndGet();
    }
  }

  private record FaultyChannel(FileChannel file, Disk disk) implements SeekableByteChannel {

    @Override
    public int write(ByteBuffer bytes) throws IOException {
      try {
        disk.stall.await();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
      long left = disk.room == Long.MAX_VALUE ? disk.room : disk.room - file.size();
      if (left <= 0) {
        throw new FileSystemException(null, null, "No space left on device");
      }
      ByteBuffer part = bytes.slice();
      part.limit((int) Math.min(part.limit(), left));
      int written = file.write(part);
      bytes.position(bytes.position() + written);
      return written;
    }

    @Override
    public SeekableByteChannel truncate(long size) throws IOException {
      if (!disk.cuts) {
        throw new IOException("Read-only file system");
      }
      return file.truncate(size);
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public int read(ByteBuffer bytes) throws IOException {
      return file.read(bytes);
    }

    @Override
    public long position() throws IOException {
      return file.position();
    }

    @Override
    public SeekableByteChannel position(long to) throws IOException {
      return file.position(to);
    }

    @Override
    public boolean isOpen() {
      return file.isOpen();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
