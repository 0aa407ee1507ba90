/**
 * The benchmark of the core: {@code src/scripts/bench core}. {@code CoreBench} starts the fixtures
 * and one JVM for each {@code Contender}, lets them work in turns, and prints ratios. Not part of
 * the Maven build or of the jar: the script compiles it against {@code target/classes}.
 */
@NullMarked
package dev.mcpbus.bench;

import org.jspecify.annotations.NullMarked;
