#ifndef PARLEY_CBUILD_H
#define PARLEY_CBUILD_H

/// The commit that was built, as Package.swift was told it; empty where it was not.
const char *parley_build_commit(void);

#endif
