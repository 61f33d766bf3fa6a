/** Tests of the stand-in for Vexa's bot image. */
@NullMarked
package io.convoke.lab.vexa;

import org.jspecify.annotations.NullMarked;
