/**
 * Tools in the form that models take them, and a model's function calls back to the tools: OpenAI,
 * Anthropic, Gemini and the Vercel AI SDK as JSON; LangChain4j and Spring AI in the packages below,
 * which alone import those frameworks.
 */
@NullMarked
package dev.mcpbus.ai;

import org.jspecify.annotations.NullMarked;
