/**
 * Blob storage for the audio of recordings and for snapshots, in a local folder or an S3-compatible
 * store. A blob appears completely under its key or not at all; a partial collects chunks and
 * survives a crash. Pods and the server share it.
 */
@NullMarked
package io.convoke.agent.blobs;

import org.jspecify.annotations.NullMarked;
