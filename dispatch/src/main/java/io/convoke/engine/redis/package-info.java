/**
 * The way to Redis: one multiplexed connection to it, or to each node of a cluster, scripts as
 * {@code .lua} resources, bounded commands, many callers in one call, and a plain word when Redis
 * is away. Nothing here keeps state that Redis may not forget.
 */
@NullMarked
package io.convoke.engine.redis;

import org.jspecify.annotations.NullMarked;
