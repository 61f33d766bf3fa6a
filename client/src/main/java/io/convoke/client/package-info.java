/**
 * A client of Convoke's HTTP API for Java programs: lists as iterators, events that resume without
 * a gap, failures as types, retries that never act twice, and the check of webhooks.
 *
 * <p>It needs the JDK and Jackson alone. It knows no table and no server class; what it reads, it
 * reads as a caller may.
 */
@NullMarked
package io.convoke.client;

import org.jspecify.annotations.NullMarked;
