/** What a text that a person pastes would become: a preview of servers, with secrets masked. */
@NullMarked
package dev.mcpbus.config.paste;

import org.jspecify.annotations.NullMarked;
