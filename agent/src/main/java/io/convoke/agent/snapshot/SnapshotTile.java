package io.convoke.agent.snapshot;

/**
 * One person in a picture.
 *
 * @param key whose tile it is; it decides the colour, the same in every picture
 * @param name as it is written on the tile; may be empty
 * @param speaking whether the tile has the speaker's frame
 */
record SnapshotTile(String key, String name, boolean speaking) {}
