package io.convoke.client.types;

import java.util.List;

/** A {@code StorageAudit} of the API. */
public record StorageAudit(
    long blobs,
    long rows,
    List<String> orphans,
    List<MissingAudio> missing,
    long repaired) {}
