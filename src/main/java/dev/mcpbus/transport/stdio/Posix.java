package dev.mcpbus.transport.stdio;

import com.sun.jna.Function;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * The calls of libc for child processes, mapped directly with JNA. 64-bit Linux only: addresses are
 * passed as {@code long}. A call that fails returns -1 and leaves its cause in {@link #errno} of
 * the same thread.
 */
final class Posix {

  static final int EINTR = 4;
  static final int ENOENT = 2;
  static final int ENOEXEC = 8;
  static final int EAGAIN = 11;
  static final int ENOMEM = 12;
  static final int ENFILE = 23;
  static final int EMFILE = 24;

  static final int O_RDWR = 2;
  static final int O_NONBLOCK = 0x800;
  static final int O_CLOEXEC = 0x80000;
  static final int F_SETFD = 2;
  static final int F_SETFL = 4;
  static final int FD_CLOEXEC = 1;

  static final int EPOLL_CTL_ADD = 1;
  static final int EPOLL_CTL_DEL = 2;
  static final int EPOLL_CTL_MOD = 3;
  static final int EPOLLIN = 1;
  static final int EPOLLOUT = 4;
  static final int EPOLLONESHOT = 1 << 30;

  static final int SIGKILL = 9;
  static final int SIGTERM = 15;

  static final short SPAWN_SETSIGDEF = 0x04;
  static final short SPAWN_SETSIGMASK = 0x08;
  static final short SPAWN_SETSID = 0x80;

  static final int WNOHANG = 1;
  static final int WEXITED = 4;
  static final int WNOWAIT = 0x01000000;
  static final int P_PID = 1;

  private static final long SYS_PIDFD_SEND_SIGNAL = 424;
  private static final long SYS_PIDFD_OPEN = 434;

  /** The kernel packs {@code epoll_event} on x86-64 only. */
  static final int EPOLL_EVENT_BYTES = Platform.isIntel() ? 12 : 16;

  static final int EPOLL_DATA_OFFSET = EPOLL_EVENT_BYTES - 8;

  /** Available since glibc 2.34; without it each descriptor gets FD_CLOEXEC. */
  private static @Nullable Function addCloseFrom;

  private static int users;
  private static boolean available;

  private Posix() {}

  /**
   * Makes the calls possible until {@link #release}: JNA keeps a mapped class, and with it the
   * class loader of the application, as long as it is mapped.
   */
  static synchronized void retain() {
    if (users++ == 0) {
      available = register();
      addCloseFrom = available ? optional("posix_spawn_file_actions_addclosefrom_np") : null;
    }
  }

  static synchronized void release() {
    if (--users == 0 && available) {
      available = false;
      addCloseFrom = null;
      Native.unregister(Posix.class);
    }
  }

  /** Whether this system offers all of these calls. */
  static synchronized boolean isAvailable() {
    return available;
  }

  /** Null where the C library lacks it. */
  static synchronized @Nullable Function addCloseFrom() {
    return addCloseFrom;
  }

  private static boolean register() {
    if (!Platform.isLinux() || !Platform.is64Bit()) {
      return false;
    }
    try {
      // With the library's name alone JNA would keep the class loader of this class.
      Native.register(Posix.class, NativeLibrary.getInstance(Platform.C_LIBRARY_NAME));
      return true;
    } catch (UnsatisfiedLinkError e) {
      LoggerFactory.getLogger(Posix.class)
          .warn("libc cannot be called, so each child process needs three threads", e);
      return false;
    }
  }

  private static @Nullable Function optional(String name) {
    try {
      return NativeLibrary.getInstance(Platform.C_LIBRARY_NAME).getFunction(name);
    } catch (UnsatisfiedLinkError e) {
      return null;
    }
  }

  static int errno() {
    return Native.getLastError();
  }

  static ByteBuffer allocate(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
  }

  /** The address is valid as long as {@code buffer} is reachable. */
  static long address(Buffer buffer) {
    return Pointer.nativeValue(Native.getDirectBufferPointer(buffer));
  }

  /**
   * Returns a descriptor that becomes readable when the process ends, or -1 on kernels before 5.3.
   */
  static int pidfdOpen(int pid) {
    return (int) syscall(SYS_PIDFD_OPEN, pid, 0, 0, 0);
  }

  static boolean pidfdSendSignal(int pidfd, int signal) {
    return syscall(SYS_PIDFD_SEND_SIGNAL, pidfd, signal, 0, 0) == 0;
  }

  static native int pipe2(int[] descriptors, int flags);

  static native int open(String path, int flags);

  static native long read(int descriptor, long address, long length);

  static native long write(int descriptor, long address, long length);

  static native int close(int descriptor);

  static native int fcntl(int descriptor, int command, int argument);

  static native int eventfd(int initial, int flags);

  static native int epoll_create1(int flags);

  static native int epoll_ctl(int epoll, int operation, int descriptor, long event);

  static native int epoll_wait(int epoll, long events, int capacity, int timeoutMillis);

  static native int kill(int pid, int signal);

  static native int waitpid(int pid, int[] status, int options);

  static native int waitid(int type, int id, long info, int options);

  static native long syscall(long number, long a, long b, long c, long d);

  static native int sigemptyset(long set);

  static native int sigfillset(long set);

  static native int posix_spawn(
      int[] pid, byte[] path, long actions, long attributes, long argv, long envp);

  static native int posix_spawnattr_init(long attributes);

  static native int posix_spawnattr_destroy(long attributes);

  static native int posix_spawnattr_setflags(long attributes, short flags);

  static native int posix_spawnattr_setsigdefault(long attributes, long set);

  static native int posix_spawnattr_setsigmask(long attributes, long set);

  static native int posix_spawn_file_actions_init(long actions);

  static native int posix_spawn_file_actions_destroy(long actions);

  static native int posix_spawn_file_actions_adddup2(long actions, int from, int to);

  static native int posix_spawn_file_actions_addchdir_np(long actions, byte[] path);

  static native String strerror(int errno);
}
