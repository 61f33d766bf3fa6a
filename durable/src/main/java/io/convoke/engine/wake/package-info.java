/**
 * Wake-ups that may be lost: a listener for notifications of Postgres, tokens that wake one of many
 * dispatchers, a chain that wakes as many as there is work for, timers, timed waits, times with a
 * cap and background loops. Each class is usable on its own. A poll finds all work that a wake-up
 * announces, so a lost wake-up costs latency and never work.
 */
@NullMarked
package io.convoke.engine.wake;

import org.jspecify.annotations.NullMarked;
