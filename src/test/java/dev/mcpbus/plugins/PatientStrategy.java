package dev.mcpbus.plugins;

import dev.mcpbus.supervisor.ConnectionStrategy;
import dev.mcpbus.supervisor.RestartIntensity;
import dev.mcpbus.supervisor.RestartPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Gives up at the first failure, and never connects a server that is asleep. */
public final class PatientStrategy implements ConnectionStrategy {

  /** What it heard. */
  public static final List<String> HEARD = new CopyOnWriteArrayList<>();

  /** The servers that it wants connected by now. */
  public static final Set<String> AWAKE = ConcurrentHashMap.newKeySet();

  @Override
  public String name() {
    return "patient";
  }

  @Override
  public boolean shouldConnect(String server) {
    return !server.startsWith("asleep") || AWAKE.contains(server);
  }

  @Override
  public void connectionFailed(String server, int attempt, String why) {
    HEARD.add(server + " " + attempt + " " + why);
  }

  @Override
  public RestartPolicy retryPolicy(String server, RestartPolicy configured) {
    return configured.withIntensity(new RestartIntensity(0, Duration.ofSeconds(60)));
  }
}
