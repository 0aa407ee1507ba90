/**
 * Whether what a server answers is the file of a skill that its entry describes (SEP-2640): size,
 * digest, and the frontmatter of {@code SKILL.md}. Pure functions, for any thread.
 */
@NullMarked
package dev.mcpbus.connection.skills;

import org.jspecify.annotations.NullMarked;
