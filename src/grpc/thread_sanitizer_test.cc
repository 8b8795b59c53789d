// SPDX-License-Identifier: Apache-2.0
//
// ThreadSanitizer does not see how Debian's gRPC and Abseil, which are built without it, hand things from
// thread to thread. What has their code in one of its stacks is left out; what remains is between threads of
// ours.

extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "race:grpc::\n"
         "race:libgrpc\n"
         "race:libgpr.so\n"
         "race:libupb.so\n"
         "race:absl::\n"
         "race:libabsl_\n"
         "race:libprotobuf.so\n"
         "called_from_lib:libgrpc.so\n"
         "called_from_lib:libgpr.so\n";
}
