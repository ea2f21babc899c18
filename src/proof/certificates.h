/* certificates.h - what the separate checker (engine/certify/certify.h) says of every proved output, as lines of a page. */
#ifndef DIVERGE_CERTIFICATES_H
#define DIVERGE_CERTIFICATES_H

#include "pair/pair.h"
#include "text/page.h"

/* One line per output; false: a proof does not hold.  Outputs that are not proved have none, and are said. */
bool certificates_page(pair *q, struct page *p);

#endif
