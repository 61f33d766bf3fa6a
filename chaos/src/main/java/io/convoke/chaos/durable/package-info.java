/**
 * The durable scenario: three engine nodes on one schema run workflows of every kind while nodes
 * are killed and suspended, connections cut, Postgres crashed, clocks shifted and LISTEN
 * connections silenced; then every workflow must end with its expected result. The engine is used
 * through its tables and two programs started by name; none of it is linked here.
 */
@NullMarked
package io.convoke.chaos.durable;

import org.jspecify.annotations.NullMarked;
