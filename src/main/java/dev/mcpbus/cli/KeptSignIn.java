package dev.mcpbus.cli;

import dev.mcpbus.internals.PrivateFile;
import dev.mcpbus.protocol.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A person's sign-in at one mcpbus, kept for all commands: a file for each origin in {@code
 * ~/.mcpbus/sign-ins}, which this user alone can read. Its tokens go to no other origin. One
 * process at a time renews them, under the lock of the file, because a refresh token is good once.
 * Blocks; for the main thread, and for the hook that runs at Ctrl-C.
 */
final class KeptSignIn {

  private static final int MAX_BYTES = 64 * 1024;

  /** What says that the login has ended, and not that mcpbus cannot answer now. */
  private static final Set<String> ENDED = Set.of("invalid_grant", "invalid_client");

  private final PrivateFile file;
  private final String origin;
  private final InstantSource clock;
  private volatile @Nullable KeptTokens known;

  /**
   * The sign-in at the origin of a URL; there need be none.
   *
   * @param home the user's
   */
  KeptSignIn(Path home, URI url, InstantSource clock) {
    this.origin = ServiceFinder.origin(url);
    this.file =
        PrivateFile.inOwnFolder(
            home.resolve(".mcpbus").resolve("sign-ins").resolve(Sha256.hex(origin)), "remove it");
    this.clock = clock;
  }

  /** Whether there is a file, be it good or not. */
  boolean isThere() {
    return Files.exists(file.path(), LinkOption.NOFOLLOW_LINKS);
  }

  /** What the person can do about a sign-in that is no longer good. */
  String remedy() {
    return again() + ", or forget the login with \"mcpbus logout --url " + origin + "\"";
  }

  private String again() {
    return "log in again with \"mcpbus login --url " + origin + "\"";
  }

  /**
   * An access token that is good for a while, renewed where it has to be.
   *
   * @throws CommandFailure {@code LOGIN_ENDED} where mcpbus does not renew it: then it is
   *     forgotten; {@code BROKEN_LOGIN} where the file cannot be used
   */
  String token() {
    KeptTokens tokens = known;
    if (tokens == null || isOver(tokens)) {
      tokens = read();
      if (tokens == null || isOver(tokens)) {
        tokens = renewed();
      }
      known = tokens;
    }
    return tokens.access();
  }

  private boolean isOver(KeptTokens tokens) {
    return !clock.instant().isBefore(tokens.renewAt());
  }

  private KeptTokens renewed() {
    Renewal renewal = new Renewal();
    change(renewal);
    KeptTokens tokens = renewal.tokens;
    if (tokens == null) {
      throw new CommandFailure(
          ExitCode.NOT_ALLOWED,
          "LOGIN_ENDED",
          "your login at " + origin + " has ended (" + renewal.why + "); " + again());
    }
    return tokens;
  }

  /** What happens under the lock. */
  private final class Renewal implements Callable<byte @Nullable []> {

    private @Nullable KeptTokens tokens;
    private String why = "you have logged out";

    @Override
    public byte @Nullable [] call() {
      KeptTokens now = read(); // another process may have renewed them, or ended the login
      try {
        tokens = now == null || !isOver(now) ? now : now.renewed(client(), clock.instant());
      } catch (CommandFailure refused) {
        if (refused.exit() == ExitCode.UNREACHABLE) {
          throw refused;
        }
        if (!ENDED.contains(refused.code())) {
          throw new CommandFailure(
              refused.exit(),
              "LOGIN_NOT_RENEWED",
              "your login at "
                  + origin
                  + " cannot be renewed ("
                  + refused.getMessage()
                  + "); "
                  + remedy());
        }
        why = String.valueOf(refused.getMessage());
      }
      return tokens == null ? null : tokens.bytes(origin);
    }
  }

  /** Fails where a login could not be kept: before a person takes the trouble. */
  void prepare() {
    String problem;
    try {
      problem = file.whyFolderNotOurs();
    } catch (IOException e) {
      throw notKept(e);
    }
    if (problem != null) {
      throw notKept(new IOException("its folder " + problem));
    }
  }

  /** Keeps the tokens of a new login; the former login at this origin ends. */
  void keep(KeptTokens tokens) {
    AtomicReference<@Nullable KeptTokens> former = new AtomicReference<>();
    change(
        () -> {
          former.set(found().tokens()); // the new file mends a broken one
          return tokens.bytes(origin);
        });
    known = tokens;
    revoked(former.get());
  }

  /**
   * Ends the login at mcpbus and forgets it, whatever mcpbus answers.
   *
   * @return why mcpbus may not know of it; empty if it does
   */
  String end() {
    StringBuilder why = new StringBuilder();
    change(
        () -> {
          FoundTokens found = found();
          why.append(
              found.problem().isEmpty()
                  ? revoked(found.tokens())
                  : "their file, " + file.path() + ", was not used, because it " + found.problem());
          return null;
        });
    known = null;
    return why.toString();
  }

  private String revoked(@Nullable KeptTokens tokens) {
    try {
      if (tokens != null) {
        tokens.revoke(client());
      }
      return "";
    } catch (CommandFailure e) {
      return ENDED.contains(e.code()) ? "" : String.valueOf(e.getMessage());
    }
  }

  private ServiceClient client() {
    return new ServiceClient(URI.create(origin), null, null);
  }

  /**
   * What the file has.
   *
   * @param tokens null where it has none that can be used
   * @param problem why it cannot be used, as the rest of a sentence; empty where nothing is wrong
   * @param remedy of the problem, where there is one beside a new login; else empty
   */
  private record FoundTokens(@Nullable KeptTokens tokens, String problem, String remedy) {}

  /** Null if there is none. */
  private @Nullable KeptTokens read() {
    FoundTokens found = found();
    if (found.problem().isEmpty()) {
      return found.tokens();
    }
    throw new CommandFailure(
        ExitCode.NOT_ALLOWED,
        "BROKEN_LOGIN",
        "the file of your login, "
            + file.path()
            + ", "
            + found.problem()
            + "; "
            + (found.remedy().isEmpty() ? "" : found.remedy() + "; or ")
            + remedy());
  }

  private FoundTokens found() {
    try {
      String notOurs = file.whyNotOurs(false);
      if (notOurs != null) {
        int end = notOurs.indexOf("; ");
        return new FoundTokens(null, notOurs.substring(0, end), notOurs.substring(end + 2));
      }
      try (InputStream in = Files.newInputStream(file.path(), LinkOption.NOFOLLOW_LINKS)) {
        KeptTokens tokens = KeptTokens.read(in.readNBytes(MAX_BYTES), origin);
        return new FoundTokens(
            tokens, tokens == null ? "is torn, or no login at " + origin : "", "");
      }
    } catch (NoSuchFileException none) {
      return new FoundTokens(null, "", "");
    } catch (IOException e) {
      return new FoundTokens(null, "cannot be read", "");
    }
  }

  private void change(Callable<byte @Nullable []> content) {
    try {
      file.update(content);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw notKept(e);
    }
  }

  private CommandFailure notKept(Exception why) {
    return new CommandFailure(
        ExitCode.UNEXPECTED,
        "NOT_KEPT",
        "the file of your login, " + file.path() + ", cannot be changed: " + why.getMessage());
  }
}
