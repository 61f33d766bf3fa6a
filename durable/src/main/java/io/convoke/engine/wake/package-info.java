/**
 * Wake-ups that may be lost: notifications of Postgres turned into calls, tokens that wake one of
 * many, a chain of them that wakes as many as there is work for, timers with one owner, and waits
 * that end early. Each piece is usable on its own. What a wake announces is always found by a look
 * as well, so losing one costs time and never work; nothing here knows what the work is.
 */
@NullMarked
package io.convoke.engine.wake;

import org.jspecify.annotations.NullMarked;
