/**
 * Users and their API tokens: accounts, limits, and the owner of each key. Only the hash of a token
 * is stored. Knows nothing of meetings or bots; a user's bot limit is stored here and enforced by
 * the bots.
 */
@NullMarked
package io.convoke.server.users;

import org.jspecify.annotations.NullMarked;
