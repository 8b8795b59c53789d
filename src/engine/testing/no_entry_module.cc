// SPDX-License-Identifier: Apache-2.0

// A loadable library that is not an engine module.
extern "C" __attribute__((visibility("default"))) int something_else() { return 1; }
