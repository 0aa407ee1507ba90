package dev.mcpbus.cli.doctor;

import dev.mcpbus.cli.CommandContext;
import dev.mcpbus.cli.CommandFailure;
import dev.mcpbus.cli.ConfigFile;
import dev.mcpbus.cli.ExitCode;
import dev.mcpbus.cli.FileConsent;
import dev.mcpbus.cli.LocalService;
import dev.mcpbus.cli.ServiceClient;
import dev.mcpbus.config.ConfigEnvironment;
import dev.mcpbus.config.ConfigProblem;
import dev.mcpbus.config.ConfigResult;
import dev.mcpbus.config.McpBusConfig;
import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.config.read.ConfigCheck;
import dev.mcpbus.config.read.ConfigCheck.ListedServer;
import dev.mcpbus.config.read.ConfigReader;
import dev.mcpbus.doctor.ConnectionCheck;
import dev.mcpbus.doctor.DoctorCause;
import dev.mcpbus.doctor.DoctorStep;
import dev.mcpbus.doctor.EntryCheck;
import dev.mcpbus.doctor.Examination;
import dev.mcpbus.doctor.ExaminationException;
import dev.mcpbus.doctor.Finding;
import dev.mcpbus.protocol.ServerId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Examines the servers of a configuration: each by itself, some at the same time. What can be seen
 * without a start comes first; the servers that are left start in one small service inside this
 * process, which tells about them at its HTTP doors. Used on the main thread; the examinations run
 * on threads of their own.
 */
final class Doctor {

  private static final int AT_ONCE = 8;

  private final CommandContext context;
  private final @Nullable Path named;
  private final Path file;
  private final @Nullable Duration timeout;
  private final RunningService running;
  private final Consumer<String> progress;

  /**
   * @param named the configuration, null for that of the working directory
   * @param timeout for the handshake, null for that of each entry
   * @param running what a mcpbus that runs already says of a server
   * @param progress for a person who waits
   */
  Doctor(
      CommandContext context,
      @Nullable Path named,
      @Nullable Duration timeout,
      RunningService running,
      Consumer<String> progress) {
    this.context = context;
    this.named = named;
    this.file = ConfigFile.find(named);
    this.timeout = timeout;
    this.running = running;
    this.progress = progress;
  }

  /**
   * One report for each server, in the order of the file; those that cannot be read come last.
   *
   * @param wanted the id or name of one server, null for all
   * @throws CommandFailure where there is no such server
   */
  List<DoctorReport> examine(@Nullable String wanted) {
    ConfigResult result =
        ConfigReader.read(file, ConfigEnvironment.system().withVariables(context.variables()));
    McpBusConfig config = result.config();
    if (config == null) {
      return List.of(
          new DoctorReport(file.toString(), "", EntryCheck.broken(result.problems()), null));
    }
    List<ServerDefinition> sound =
        config.servers().stream().filter(each -> isWanted(wanted, each)).toList();
    List<DoctorReport> reports = new ArrayList<>(examined(result, config, sound));
    Map<String, List<ConfigProblem>> broken = new LinkedHashMap<>();
    for (ConfigProblem problem : result.problems()) {
      if (problem.server() != null) {
        broken.computeIfAbsent(problem.server(), name -> new ArrayList<>()).add(problem);
      }
    }
    broken.forEach(
        (name, problems) -> {
          if (wanted == null
              || name.equals(wanted)
              || ServerId.of(name).equals(ServerId.of(wanted))) {
            reports.add(new DoctorReport(name, "", EntryCheck.broken(problems), null));
          }
        });
    if (wanted != null && reports.isEmpty()) {
      throw unknown(wanted, config, broken.keySet());
    }
    return reports;
  }

  private static boolean isWanted(@Nullable String wanted, ServerDefinition each) {
    return wanted == null
        || each.id().value().equals(ServerId.of(wanted))
        || each.name().equals(wanted);
  }

  private CommandFailure unknown(String wanted, McpBusConfig config, Set<String> broken) {
    List<String> there =
        new ArrayList<>(config.servers().stream().map(each -> each.id().value()).toList());
    there.addAll(broken);
    return new CommandFailure(
        ExitCode.NOT_FOUND,
        "UNKNOWN_CONNECTION",
        "no server "
            + wanted
            + " in "
            + file
            + (there.isEmpty() ? ", which has no servers" : "; it has " + String.join(", ", there))
            + ". A disabled one is not examined; --config names another file");
  }

  private List<DoctorReport> examined(
      ConfigResult result, McpBusConfig config, List<ServerDefinition> all) {
    if (all.isEmpty()) {
      return List.of();
    }
    FileConsent.require(context, named, result, config, false);
    Map<String, String> targets =
        ConfigCheck.servers(config).stream()
            .collect(Collectors.toMap(ListedServer::id, ListedServer::target));
    ExecutorService threads =
        Executors.newFixedThreadPool(Math.min(AT_ONCE, all.size()), Doctor::daemon);
    try {
      List<Examination> examinations =
          each(
              threads,
              all,
              one ->
                  Examination.begin(
                      one,
                      targets.getOrDefault(one.id().value(), ""),
                      context.variables(),
                      context.home()));
      List<ServerDefinition> startable =
          examinations.stream().filter(Examination::mayStart).map(this::onDemand).toList();
      if (startable.isEmpty()) {
        return examinations.stream().map(each -> DoctorReport.of(each, running)).toList();
      }
      progress.accept(starting(startable));
      try (LocalService service =
              context.launcher().start(file, result, config.withServers(startable));
          ServiceClient client = new ServiceClient(service.url(), service.token(), null)) {
        return each(
            threads,
            examinations,
            one -> DoctorReport.of(one.mayStart() ? one.with(live(client, one)) : one, running));
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private String starting(List<ServerDefinition> all) {
    long most = all.stream().mapToLong(one -> one.handshakeTimeout().toSeconds()).max().orElse(0);
    return "time-out after " + (timeout == null ? most : timeout.toSeconds()) + " s";
  }

  private ServerDefinition onDemand(Examination one) {
    ServerDefinition own = one.definition();
    return own.onDemand(
        timeout == null ? own.handshakeTimeout() : timeout,
        timeout == null ? own.installTimeout() : timeout);
  }

  private List<DoctorStep> live(ServiceClient client, Examination one) {
    try {
      return new ConnectionCheck(
              new ServiceCopy(client, one.definition().id().value()), onDemand(one))
          .run();
    } catch (ExaminationException e) {
      return List.of(
          DoctorStep.failed(
              "started",
              -1,
              Finding.of(
                  DoctorCause.FAILED_OTHERWISE,
                  "The service in this process does not answer: " + e.getMessage(),
                  "Try again; this is a defect of mcpbus")));
    }
  }

  private static <A, B> List<B> each(ExecutorService threads, List<A> all, Function<A, B> work) {
    List<Future<B>> begun = all.stream().map(one -> threads.submit(() -> work.apply(one))).toList();
    List<B> done = new ArrayList<>();
    for (Future<B> one : begun) {
      try {
        done.add(Objects.requireNonNull(one.get()));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new CommandFailure(ExitCode.INTERRUPTED, "CANCELLED", "interrupted");
      } catch (ExecutionException e) {
        throw new IllegalStateException(e.getCause());
      }
    }
    return done;
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work, "mcpbus-doctor");
    thread.setDaemon(true);
    return thread;
  }
}
