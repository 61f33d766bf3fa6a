/**
 * Where large things lie: audio of recordings, in a local folder or in a store that speaks S3. A
 * blob appears whole under its key or not at all; what arrives in pieces gathers in a partial that
 * survives a crash. This package knows neither what a blob means nor who still needs it.
 */
@NullMarked
package io.convoke.server.blobs;

import org.jspecify.annotations.NullMarked;
