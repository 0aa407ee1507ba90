/**
 * The tools for LangChain4j. The only package that imports it; the program that uses it brings
 * {@code dev.langchain4j:langchain4j} itself.
 */
@NullMarked
package dev.mcpbus.ai.langchain4j;

import org.jspecify.annotations.NullMarked;
