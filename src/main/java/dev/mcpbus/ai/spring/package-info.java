/**
 * The tools for Spring AI. No other package imports the framework; a program that uses this package
 * must have {@code org.springframework.ai:spring-ai-model} among its own dependencies.
 */
@NullMarked
package dev.mcpbus.ai.spring;

import org.jspecify.annotations.NullMarked;
