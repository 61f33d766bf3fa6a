package io.convoke.chaos.durable.rules;

/**
 * A transactional effect as its row stands.
 *
 * @param key of the activity that made it
 * @param number of its errand
 */
public record EffectRow(String key, String flow, int number, long amount) {}
