/**
 * The files that pods make of rooms (tasks of type {@code egress}): whose they are, how they are
 * fetched, and when they are deleted. This package owns {@code egresses}, whose ids are {@code
 * task_ids_taken}. It makes no files, and reads those of pods only to pass them on.
 */
@NullMarked
package io.convoke.server.egress;

import org.jspecify.annotations.NullMarked;
