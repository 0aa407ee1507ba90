package dev.mcpbus.internals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A file that only its user can read: {@code rw-------} from its creation on, in a folder that is
 * made {@code rwx------}. Each write replaces the whole content: after a crash the file has the old
 * content or the new one. Blocks; for worker threads, any of them.
 */
public final class PrivateFile {

  private static final Set<PosixFilePermission> FOLDER =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> GROUP =
      PosixFilePermissions.fromString("---rw----");

  /** Belongs to the user and the group of this process. */
  private static final Path PROCESS = Path.of("/proc/self");

  private static final Path STATUS = PROCESS.resolve("status");

  /** Keeps the threads of this process apart: a file lock keeps only processes apart. */
  private static final Map<Path, Object> MONITORS = new ConcurrentHashMap<>();

  private final Path file;
  private final Path folder;
  private final @Nullable String ownFolder;

  private PrivateFile(Path file, @Nullable String ownFolder) {
    this.file = file.toAbsolutePath();
    this.folder = Objects.requireNonNull(this.file.getParent());
    this.ownFolder = ownFolder;
  }

  /** The file at this path; it and its folder need not exist. */
  public static PrivateFile of(Path file) {
    return new PrivateFile(file, null);
  }

  /**
   * The file at this path, in a folder that must belong to this user alone: no link, no other
   * user's folder, and {@code rwx------} after the first write.
   *
   * @param remedy what to do where the folder belongs to another user; the end of the failure's
   *     message
   */
  public static PrivateFile inOwnFolder(Path file, String remedy) {
    return new PrivateFile(file, remedy);
  }

  /** The absolute path. */
  public Path path() {
    return file;
  }

  /** Writes the file unless it exists: where several processes do it at once, one of them wins. */
  public void create(byte[] content) throws IOException {
    write(content, sibling(UUID.randomUUID().toString()), this::link);
  }

  /** Writes the file, in place of the present one; a link is replaced, not followed. */
  public void replace(byte[] content) throws IOException {
    write(content, sibling(UUID.randomUUID().toString()), this::rename);
  }

  /**
   * Replaces the content by what {@code content} makes of the old one. No other update, of this or
   * another process, runs in between: the file {@code <name>.lock} is locked meanwhile. Null
   * removes the file.
   */
  public void update(Callable<byte @Nullable []> content) throws Exception {
    synchronized (MONITORS.computeIfAbsent(file, any -> new Object())) {
      prepareFolder();
      try (FileChannel lock =
              open(sibling("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          var held = lock.lock()) {
        Objects.requireNonNull(held);
        Path next = sibling("next");
        Files.deleteIfExists(next); // left by a process that was killed
        byte[] made = content.call();
        if (made == null) {
          Files.deleteIfExists(file);
        } else {
          write(made, next, this::rename);
        }
      }
    }
  }

  /** Opens the file for a lock, and makes it; the caller closes it. */
  public FileChannel openForLock() throws IOException {
    prepareFolder();
    return open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  /** Opens the file to append to it, and makes it; the caller closes it. Follows a link. */
  public FileChannel openForAppend() throws IOException {
    return open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /** Takes the rights of other users to a regular file, if it exists. Follows a link. */
  public void restrict() throws IOException {
    if (isPosix()
        && Files.isRegularFile(file)
        && !FILE.containsAll(Files.getPosixFilePermissions(file))) {
      Files.setPosixFilePermissions(file, FILE);
    }
  }

  /**
   * Why what is in the file may come from another user, as the rest of a sentence with the remedy;
   * null where the file is this user's alone.
   *
   * @param orGroup whether a group of this process may have it, too: so a volume of Kubernetes
   *     leaves it
   * @throws java.nio.file.NoSuchFileException if there is no file
   */
  public @Nullable String whyNotOurs(boolean orGroup) throws IOException {
    if (!Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .isRegularFile()) {
      return "is a link, or no file; remove it";
    }
    if (!isPosix()) {
      return null;
    }
    Path self = self();
    if (!user(file).equals(Files.getAttribute(self, "unix:uid"))) {
      return "belongs to another user; remove it, or give it to the user of mcpbus";
    }
    Set<PosixFilePermission> left =
        new HashSet<>(Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS));
    left.removeAll(FILE);
    if (orGroup
        && (Files.getAttribute(file, "unix:gid", LinkOption.NOFOLLOW_LINKS)
                .equals(Files.getAttribute(self, "unix:gid"))
            || isInGroup(file))) {
      left.removeAll(GROUP);
    }
    return left.isEmpty()
        ? null
        : "can be read or written by others than its owner; check it, and: chmod 600 " + file;
  }

  /**
   * Makes the folder of the file where it is missing, and says why another user could put files
   * there, as {@link #whyNotOurs} does; null where only this user can.
   */
  public @Nullable String whyFolderNotOurs() throws IOException {
    if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectories(folder, attributes(FOLDER));
    }
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      return "is a link, or no folder; remove it";
    }
    if (!isPosix()) {
      return null;
    }
    if (!user(folder).equals(Files.getAttribute(self(), "unix:uid"))) {
      return "belongs to another user; remove it, or give it to the user of mcpbus";
    }
    Set<PosixFilePermission> left =
        Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS);
    return left.contains(PosixFilePermission.GROUP_WRITE)
            || left.contains(PosixFilePermission.OTHERS_WRITE)
        ? "can be written by others than its owner; check it, and: chmod 700 " + folder
        : null;
  }

  /** What belongs to the user of this process. */
  private static Path self() {
    return Files.exists(PROCESS) ? PROCESS : Path.of(System.getProperty("user.home", "."));
  }

  /** Whether a further group of this process has the file: the {@code fsGroup} of Kubernetes. */
  private static boolean isInGroup(Path file) throws IOException {
    return Files.isReadable(STATUS)
        && groups(Files.readString(STATUS, StandardCharsets.ISO_8859_1))
            .contains(
                String.valueOf(Files.getAttribute(file, "unix:gid", LinkOption.NOFOLLOW_LINKS)));
  }

  /** The further groups of a process, in decimal digits; {@code status} as Linux writes it. */
  static List<String> groups(String status) {
    return status
        .lines()
        .filter(line -> line.startsWith("Groups:"))
        .flatMap(line -> Stream.of(line.substring("Groups:".length()).strip().split("\\s+")))
        .filter(group -> !group.isEmpty())
        .toList();
  }

  /** Writes the content completely before the file gets its name. */
  private void write(byte[] content, Path next, Naming naming) throws IOException {
    prepareFolder();
    try {
      try (FileChannel channel =
          open(next, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
        ByteBuffer bytes = ByteBuffer.wrap(content);
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
        channel.force(true);
      }
      checkOwner(next);
      naming.name(next);
      syncFolder();
    } finally {
      Files.deleteIfExists(next);
    }
  }

  /** The new name, too, is on the disk. Windows cannot open a folder, and does it by itself. */
  private void syncFolder() throws IOException {
    if (isPosix()) {
      try (FileChannel names = FileChannel.open(folder, StandardOpenOption.READ)) {
        names.force(true);
      }
    }
  }

  private void rename(Path next) throws IOException {
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private void link(Path next) throws IOException {
    try {
      Files.createLink(file, next);
    } catch (FileAlreadyExistsException other) {
      // Another process was faster; its content stays.
    } catch (UnsupportedOperationException noLinks) {
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  private void prepareFolder() throws IOException {
    if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
      Files.createDirectories(folder, attributes(FOLDER));
    }
    if (ownFolder == null) {
      return;
    }
    if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
      throw new IOException(folder + " is no folder, or a link; remove it");
    }
    if (isPosix()
        && !Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS).equals(FOLDER)) {
      Files.setPosixFilePermissions(folder, FOLDER); // fails where the folder is another user's
    }
  }

  /** The owner of the folder could replace the file. */
  private void checkOwner(Path mine) throws IOException {
    if (ownFolder != null && isPosix() && !user(folder).equals(user(mine))) {
      throw new IOException(folder + " belongs to another user; " + ownFolder);
    }
  }

  private static Object user(Path path) throws IOException {
    return Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
  }

  /** The file is created with its permissions. */
  private FileChannel open(Path path, StandardOpenOption... options) throws IOException {
    return FileChannel.open(path, Set.of(options), attributes(FILE));
  }

  private Path sibling(String ending) {
    return file.resolveSibling(file.getFileName() + "." + ending);
  }

  private FileAttribute<?>[] attributes(Set<PosixFilePermission> permissions) {
    return isPosix()
        ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(permissions)}
        : new FileAttribute<?>[0];
  }

  private boolean isPosix() {
    return file.getFileSystem().supportedFileAttributeViews().contains("posix");
  }

  /** Gives the complete file its name. */
  private interface Naming {
    void name(Path next) throws IOException;
  }
}
