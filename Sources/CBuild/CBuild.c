#include "CBuild.h"

#ifndef PARLEY_COMMIT
#define PARLEY_COMMIT ""
#endif

const char *parley_build_commit(void) {
    return PARLEY_COMMIT;
}
