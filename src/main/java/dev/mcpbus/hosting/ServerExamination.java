package dev.mcpbus.hosting;

import dev.mcpbus.config.ServerDefinition;
import dev.mcpbus.doctor.ConnectionCheck;
import dev.mcpbus.doctor.DoctorCause;
import dev.mcpbus.doctor.DoctorStep;
import dev.mcpbus.doctor.Examination;
import dev.mcpbus.doctor.ExaminationException;
import dev.mcpbus.doctor.Finding;
import dev.mcpbus.transport.BusOptions;
import dev.mcpbus.transport.EmbeddedTransportOptions;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * One examination of one server. {@link #run} blocks on a worker thread; the others never block and
 * may be called by any thread meanwhile.
 */
final class ServerExamination {

  private static final Duration HANDSHAKE = Duration.ofSeconds(20);

  private final Vertx vertx;
  private final ServerDefinition definition;
  private final Map<String, String> variables;
  private final Path home;
  private final List<DoctorStep> steps = new ArrayList<>();
  private @Nullable ExaminedCopy copy;
  private boolean ended;

  /**
   * @param variables the environment of mcpbus
   * @param home the home directory of its user
   */
  ServerExamination(
      Vertx vertx, ServerDefinition definition, Map<String, String> variables, Path home) {
    this.vertx = vertx;
    this.definition = definition;
    this.variables = variables;
    this.home = home;
  }

  /** Takes all steps; {@code {steps, cause?}} as {@code mcp.servers.examine} replies. */
  JsonObject run() {
    Examination first = Examination.begin(definition, "", variables, home);
    keep(first.all());
    if (!first.mayStart()) {
      return reply(first.all());
    }
    Examination whole = first.with(connected());
    return reply(whole.all());
  }

  private synchronized void keep(List<DoctorStep> taken) {
    steps.addAll(taken);
  }

  private List<DoctorStep> connected() {
    try {
      if (definition.transport() instanceof BusOptions
          || definition.transport() instanceof EmbeddedTransportOptions) {
        // The server is in this process: there is no second way to it.
        return new ConnectionCheck(
                (suffix, body) -> ExaminedCopy.ask(vertx, definition.id(), suffix, body),
                definition)
            .present();
      }
      Duration own = definition.handshakeTimeout();
      ServerDefinition onDemand =
          definition.onDemand(own.compareTo(HANDSHAKE) < 0 ? own : HANDSHAKE, HANDSHAKE);
      try (ExaminedCopy opened = open(onDemand)) {
        opened.deploy(onDemand, variables);
        return new ConnectionCheck(opened, onDemand).run();
      }
    } catch (ExaminationException e) {
      return List.of(
          DoctorStep.failed(
              "handshake",
              -1,
              Finding.of(
                  DoctorCause.FAILED_OTHERWISE,
                  "The connection does not answer: " + e.getMessage(),
                  "Try again; the log of mcpbus says more")));
    }
  }

  private synchronized ExaminedCopy open(ServerDefinition onDemand) {
    if (ended) {
      throw new CancellationException("the time of the examination is over");
    }
    ExaminedCopy opened = ExaminedCopy.create(vertx, onDemand);
    copy = opened;
    return opened;
  }

  /** Ends the connection of the examination, if it has one; {@link #run} ends soon after. */
  synchronized void end() {
    ended = true;
    if (copy != null) {
      copy.close();
    }
  }

  /** The reply of an examination whose time is over: the steps so far. */
  synchronized JsonObject unfinished(Duration most) {
    List<DoctorStep> all = new ArrayList<>(steps);
    all.add(
        DoctorStep.failed(
            "time",
            most.toMillis(),
            Finding.of(
                DoctorCause.NO_ANSWER,
                "The examination was not over within " + most.toSeconds() + " s",
                "mcpbus doctor " + definition.id() + " on the machine of mcpbus takes its time")));
    return reply(all);
  }

  private static JsonObject reply(List<DoctorStep> all) {
    JsonObject reply =
        new JsonObject()
            .put("steps", new JsonArray(all.stream().map(DoctorStep::toReply).toList()));
    for (DoctorStep step : all) {
      Finding finding = step.finding();
      if (step.hasFailed() && finding != null) {
        return reply.put("cause", finding.cause().name());
      }
    }
    return reply;
  }
}
