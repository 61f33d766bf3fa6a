/**
 * Blob storage: audio of recordings, in a local folder or an S3-compatible store. A blob appears
 * whole under its key or not at all; a partial collects chunks and survives a crash. This package
 * knows neither the meaning of a blob nor its references.
 */
@NullMarked
package io.convoke.server.blobs;

import org.jspecify.annotations.NullMarked;
