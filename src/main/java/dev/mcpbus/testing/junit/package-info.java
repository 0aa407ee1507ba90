/**
 * The extension of JUnit Jupiter that gives a test a bus and fake servers. This package alone needs
 * JUnit.
 */
@NullMarked
package dev.mcpbus.testing.junit;

import org.jspecify.annotations.NullMarked;
