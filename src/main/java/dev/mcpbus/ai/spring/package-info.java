/**
 * The tools for Spring AI. The only package that imports it; the program that uses it brings {@code
 * org.springframework.ai:spring-ai-model} itself.
 */
@NullMarked
package dev.mcpbus.ai.spring;

import org.jspecify.annotations.NullMarked;
