/**
 * The tools for LangChain4j. No other package imports the framework; a program that uses this
 * package must have {@code dev.langchain4j:langchain4j} among its own dependencies.
 */
@NullMarked
package dev.mcpbus.ai.langchain4j;

import org.jspecify.annotations.NullMarked;
