/** One plug-in of each kind, as another project would write it; found by {@code ServiceLoader}. */
@org.jspecify.annotations.NullMarked
package dev.mcpbus.plugins;
