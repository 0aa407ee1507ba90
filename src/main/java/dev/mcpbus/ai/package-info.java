/**
 * Offers tools in the formats of models, and sends a model's function calls to the tools: OpenAI,
 * Anthropic, Gemini and the Vercel AI SDK as JSON, LangChain4j and Spring AI in sub-packages. These
 * alone import those frameworks.
 */
@NullMarked
package dev.mcpbus.ai;

import org.jspecify.annotations.NullMarked;
