/**
 * The commands of users, on the HTTP API of a server: tables for people, JSON for programs.
 *
 * <p>It stores the address and the key of one server in a file that its user alone may read. The
 * commands of operators are elsewhere: they work on stores, not on the API.
 */
@NullMarked
package io.convoke.cli;

import org.jspecify.annotations.NullMarked;
