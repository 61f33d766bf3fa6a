/** Chat APIs of language models, as strict as the originals. They write nothing by themselves. */
@NullMarked
package io.convoke.fakes.chat;

import org.jspecify.annotations.NullMarked;
