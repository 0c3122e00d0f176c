#include <libpq-fe.h>

/* Cancelling from another thread than the connection's. libpq 17 can do it over the connection's own TLS; before, the
   cancel's key travels unencrypted. Both are one handle here: made beside the connection, used and freed by one thread. */

static inline void *parley_cancel_create(PGconn *connection) {
#ifdef LIBPQ_HAS_ASYNC_CANCEL
    return PQcancelCreate(connection);
#else
    return PQgetCancel(connection);
#endif
}

/* Returns once the server has passed the cancel on, or cannot be reached. */
static inline void parley_cancel_send(void *handle) {
#ifdef LIBPQ_HAS_ASYNC_CANCEL
    PQcancelBlocking((PGcancelConn *)handle);
    PQcancelFinish((PGcancelConn *)handle);
#else
    char complaint[256];
    PQcancel((PGcancel *)handle, complaint, sizeof complaint);
    PQfreeCancel((PGcancel *)handle);
#endif
}
