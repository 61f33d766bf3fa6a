/**
 * Webhooks scenario: a user's events must reach their endpoint while servers die, stores go away
 * and the endpoint fails. It is the smallest: what happens, a receiver, and the rules.
 */
@NullMarked
package io.convoke.chaos.webhooks;

import org.jspecify.annotations.NullMarked;
