/**
 * What a client of a real server gets directly and through {@code /mcp/<id>}, byte by byte. {@code
 * TransparencyIT} asks both the same questions and compares; the page {@code http.md} says what may
 * differ.
 */
@NullMarked
package dev.mcpbus.transparency;

import org.jspecify.annotations.NullMarked;
