/**
 * Webhooks scenario: a user's events must reach their endpoint while servers die, stores go away
 * and the endpoint fails. It shows how little a scenario needs besides what all share.
 */
@NullMarked
package io.convoke.chaos.webhooks;

import org.jspecify.annotations.NullMarked;
