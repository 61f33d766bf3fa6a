/**
 * Users and their API tokens: who exists, what they may use, and which key is whose. Only the hash
 * of a token is kept. Knows nothing of meetings or bots; a user's bot limit is stored here and
 * enforced by the bots.
 */
@NullMarked
package io.convoke.server.users;

import org.jspecify.annotations.NullMarked;
