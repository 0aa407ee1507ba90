package dev.mcpbus.cli.doctor;

import dev.mcpbus.bus.Addresses;
import dev.mcpbus.cli.CommandFailure;
import dev.mcpbus.cli.ExitCode;
import dev.mcpbus.cli.ServiceClient;
import dev.mcpbus.doctor.ExaminationException;
import dev.mcpbus.doctor.ExaminedServer;
import io.vertx.core.json.JsonObject;

/**
 * A server in the service that the command has started, which tells about it at its HTTP doors.
 * Blocks; any thread may call.
 */
record ServiceCopy(ServiceClient client, String id) implements ExaminedServer {

  @Override
  public JsonObject ask(String suffix, JsonObject body) {
    String base = "/api/servers/" + ServiceClient.segment(id) + "/";
    try {
      return switch (suffix) {
        case Addresses.LOGS -> client.get(base + "logs?limit=" + body.getInteger("limit"));
        case Addresses.STATUS -> client.get(base + suffix);
        case Addresses.TOOLS_LIST, Addresses.PROMPTS_LIST, Addresses.RESOURCES_LIST ->
            client.get(base + suffix.substring(0, suffix.indexOf('.')));
        default -> client.post(base + suffix, body);
      };
    } catch (CommandFailure e) {
      if (e.exit() == ExitCode.INTERRUPTED) {
        throw e;
      }
      throw new ExaminationException(String.valueOf(e.getMessage()), e);
    }
  }
}
