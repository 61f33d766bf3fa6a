/**
 * Wake-ups that may be lost: notifications of Postgres turned into calls, and waits that end early.
 * What a wake announces is always found by a query as well, so losing one costs time and never
 * work.
 */
@NullMarked
package io.convoke.engine.wake;

import org.jspecify.annotations.NullMarked;
