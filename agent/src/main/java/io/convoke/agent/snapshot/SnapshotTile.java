package io.convoke.agent.snapshot;

/**
 * One participant in a picture.
 *
 * @param key identifies the participant; determines the colour, the same in every picture
 * @param name as shown on the tile; may be empty
 * @param speaking whether the tile has the speaker's frame
 */
record SnapshotTile(String key, String name, boolean speaking) {}
