package dev.mcpbus.security;

import dev.mcpbus.internals.PrivateFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file to which whole lines are appended, and which is rotated by its size. A write that reaches
 * the file in part is cut back to the last whole line. Where that fails too, and after a crash in
 * the middle of a line, a line break separates the torn line from the next one. Follows its path: a
 * file that was moved or removed is made anew. Other users can read neither it nor its rotated
 * predecessors. Confined to one thread, except for the constructor.
 */
final class WholeLineFile {

  private static final Logger LOG = LoggerFactory.getLogger(WholeLineFile.class);

  /** Opens files; tests make their writes fail. */
  interface Opener {
    /** Opens a file for appending, and creates it if it is missing. */
    SeekableByteChannel open(Path path) throws IOException;

    /** Completes when what was written is on the disk. */
    void force(SeekableByteChannel channel) throws IOException;
  }

  private final Path path;
  private final long maxBytes;
  private final int keep;
  private final Opener opener;
  private @Nullable SeekableByteChannel channel;

  /** The file's identity where the channel was opened; null for what is no regular file. */
  private @Nullable Object key;

  private boolean regular;

  /** Whether the file may end in the middle of a line. */
  private boolean torn;

  /**
   * Opens nothing yet.
   *
   * @param maxBytes size from which on a regular file is rotated
   * @param keep how many rotated files are kept, named {@code PATH.1} (the newest) and so on
   */
  WholeLineFile(Path path, long maxBytes, int keep, Opener opener) {
    this.path = path;
    this.maxBytes = maxBytes;
    this.keep = keep;
    this.opener = opener;
  }

  /**
   * Opens the file if it is not open, or if another file or none has its path now.
   *
   * @throws IOException if it cannot be opened or repaired
   */
  void open() throws IOException {
    if (channel != null && (!regular || Objects.equals(key, keyOf(path)))) {
      return;
    }
    if (channel != null) {
      LOG.info("audit: {} was moved or removed; mcpbus writes a new file there", path);
      close();
    }
    Path folder = path.toAbsolutePath().getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    SeekableByteChannel opened = opener.open(path);
    channel = opened;
    regular = Files.isRegularFile(path);
    key = regular ? keyOf(path) : null;
    torn = regular && endsInALine(path);
    restrict(path);
    for (int i = 1; Files.exists(numbered(i)); i++) {
      restrict(numbered(i));
    }
  }

  /** Another program, or an older mcpbus, may have made the file for all users to read. */
  private static void restrict(Path file) {
    try {
      PrivateFile.of(file).restrict();
    } catch (IOException e) {
      LOG.warn(
          "audit: other users can read {}, and that cannot be changed: {}", file, e.toString());
    }
  }

  private static @Nullable Object keyOf(Path path) throws IOException {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    } catch (NoSuchFileException absent) {
      return "absent"; // where files have no keys (null), this one differs too
    }
  }

  private static boolean endsInALine(Path path) throws IOException {
    try (SeekableByteChannel file = Files.newByteChannel(path)) {
      if (file.size() == 0) {
        return false;
      }
      ByteBuffer last = ByteBuffer.allocate(1);
      file.position(file.size() - 1).read(last);
      return last.get(0) != '\n';
    }
  }

  /**
   * Appends lines.
   *
   * @param lines whole lines, each with its line break
   * @param forced whether the lines must be on the disk when this returns
   * @throws PartlyWrittenException if not all of them are in the file; it says how many bytes are
   * @throws IOException if none of them is
   */
  void append(byte[] lines, boolean forced) throws IOException {
    open();
    SeekableByteChannel file = Objects.requireNonNull(channel);
    if (torn) {
      writeAll(file, ByteBuffer.wrap(new byte[] {'\n'}));
      torn = false;
    }
    if (regular && file.size() >= maxBytes) {
      rotate();
      file = Objects.requireNonNull(channel);
    }
    long before = regular ? file.size() : 0;
    ByteBuffer rest = ByteBuffer.wrap(lines);
    IOException why;
    try {
      writeAll(file, rest);
      if (forced && regular) {
        opener.force(file);
      }
      return;
    } catch (IOException e) {
      why = e;
    }
    int reached = rest.position();
    int whole = forced ? 0 : wholeLines(lines, reached);
    if (regular && !cut(file, before + reached, before + whole)) {
      torn = reached > 0 && lines[reached - 1] != '\n';
    }
    if (whole == 0) {
      throw why;
    }
    throw new PartlyWrittenException(whole, why);
  }

  private static int wholeLines(byte[] lines, int length) {
    int whole = length;
    while (whole > 0 && lines[whole - 1] != '\n') {
      whole--;
    }
    return whole;
  }

  private static void writeAll(SeekableByteChannel file, ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      file.write(bytes);
    }
  }

  /** Cuts the file, unless another process has written to it as well. */
  private static boolean cut(SeekableByteChannel file, long expected, long size) {
    try {
      if (file.size() == expected) {
        file.truncate(size);
      }
      return file.size() == size;
    } catch (IOException e) {
      return false;
    }
  }

  /** Renames the file and its predecessors; where that fails, the present file goes on. */
  private void rotate() throws IOException {
    try {
      for (int i = keep; i > 1; i--) {
        Path older = numbered(i - 1);
        if (Files.exists(older)) {
          Files.move(older, numbered(i), StandardCopyOption.REPLACE_EXISTING);
        }
      }
      Files.move(path, numbered(1), StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      LOG.warn("audit: {} cannot be rotated and grows: {}", path, e.toString());
      return;
    }
    close();
    open();
  }

  private Path numbered(int number) {
    return Path.of(path + "." + number);
  }

  /** Closes it; {@link #open} opens it again. */
  void close() {
    SeekableByteChannel open = channel;
    channel = null;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        LOG.debug("audit: {} was not closed", path, e);
      }
    }
  }

  /** The first lines are in the file, and the others are not. */
  static final class PartlyWrittenException extends IOException {
    private static final long serialVersionUID = 1;

    private final int bytes;

    PartlyWrittenException(int bytes, IOException cause) {
      super(cause.getMessage(), cause);
      this.bytes = bytes;
    }

    /** How many bytes of whole lines are in the file. */
    int bytes() {
      return bytes;
    }
  }
}
