/**
 * Packs what {@code ./convoke release} makes of a build: archives with a Java runtime of their own,
 * Debian packages, bills of materials and checksums. The same sources and JDK give the same bytes,
 * wherever and whenever it runs. It decides no versions and publishes nothing.
 */
@NullMarked
package io.convoke.release;

import org.jspecify.annotations.NullMarked;
