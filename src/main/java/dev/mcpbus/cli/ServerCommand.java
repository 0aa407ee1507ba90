package dev.mcpbus.cli;

import picocli.CommandLine.Parameters;

/** A command about one server. For the main thread. */
abstract class ServerCommand extends ServiceCommand {

  @Parameters(index = "0", paramLabel = "ID", description = "The server.")
  private String id = "";

  ServerCommand(CommandContext context) {
    super(context);
  }

  final String id() {
    return id;
  }

  /** The path of the server over HTTP. */
  final String path() {
    return ServerTool.pathOf(id);
  }
}
