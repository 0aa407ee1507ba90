/** A program on the module path. */
module embedding {
  requires dev.mcpbus;
  requires io.vertx.core;
}
