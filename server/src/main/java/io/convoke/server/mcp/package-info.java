/**
 * The Model Context Protocol at {@code /mcp}: tools by which language models read meetings and act.
 *
 * <p>Owns the protocol, the list of tools, confirmations and the explanation of a bot. A tool calls
 * operations of this server for its caller, so it never decides who may see or change what; it
 * reads no table.
 */
@NullMarked
package io.convoke.server.mcp;

import org.jspecify.annotations.NullMarked;
