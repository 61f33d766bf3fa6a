package io.convoke.engine.dispatch;

import java.util.List;

/**
 * What a claim brought.
 *
 * @param more whether more waits where this pod looked, fit for it or not
 */
record Claimed(boolean more, List<Task> tasks) {}
